package render

import (
	"strings"
	"testing"
)

func TestGoldenPage(t *testing.T) {
	page, err := HTML("Bug report", mustRender(t, "report", ledger()))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.html", page)
	again, err := HTML("Bug report", mustRender(t, "report", ledger()))
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != string(again) {
		t.Error("the same Markdown gave two different pages")
	}
}

func TestAPageFetchesNothing(t *testing.T) {
	page, err := HTML("<Report>", mustRender(t, "report", ledger()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
		`<meta name="color-scheme" content="light dark">`,
		`<title>&lt;Report&gt;</title>`,
		`prefers-color-scheme: dark`,
		`@media print`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, never := range []string{"<script", "<link", "<img", "src=", "url(", "@import", "href=\"h"} {
		if strings.Contains(string(page), never) {
			t.Errorf("the page holds %s", never)
		}
	}
}

// Even Markdown that nobody escaped brings in nothing.
func TestAPageKnowsNoLinksAndNoHTML(t *testing.T) {
	page, err := HTML("t", []byte("# a\n\n[x](https://x.example) ![y](https://x.example/y.png) <https://x.example> <b>z</b> https://x.example\n\n<div>block</div>\n\n[x]: https://x.example\n"))
	if err != nil {
		t.Fatal(err)
	}
	body := string(page)[strings.Index(string(page), "<main>"):]
	for _, never := range []string{"<a", "<img", "<b>", "<div"} {
		if strings.Contains(body, never) {
			t.Errorf("the page holds %s:\n%s", never, body)
		}
	}
}

func TestTablesLeadToTheBugs(t *testing.T) {
	in := ledger()
	odd := "BUG<odd>|`id`"
	in.Findings[0].BugID, in.Challenges[1].BugID, in.Verdicts[2].BugID = odd, odd, odd
	in.FixStrategy, in.FixPlan, in.FixReport = nil, nil, nil
	page, err := HTML("t", mustRender(t, "report", in))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<td><a href="#BUG-3f9a2c"><code>BUG-3f9a2c</code></a></td>`,
		`<h3 class="critical" id="BUG-3f9a2c">Critical · <code>BUG-3f9a2c</code>`,
		`<td class="critical">Critical</td>`,
		`<h3 class="high" id="BUG-9d2f60">High, if real · `,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(string(page), `id="BUG<`) || strings.Contains(string(page), `href="#BUG&lt;`) {
		t.Error("an id that is no plain word became an anchor")
	}
}
