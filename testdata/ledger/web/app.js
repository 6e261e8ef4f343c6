// The operators' console: signs in, shows a month's summary and offers the settlement file.
const form = document.querySelector("#sign-in");
const month = document.querySelector("#month");
const summary = document.querySelector("#summary");
const message = document.querySelector("#message");

async function signIn(event) {
  event.preventDefault();
  const answer = await fetch("/console/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      operator: form.elements.operator.value,
      accessKey: form.elements.accessKey.value,
    }),
  });
  if (!answer.ok) {
    const { error } = await answer.json();
    message.textContent = error;
    return;
  }
  form.hidden = true;
  await showSummary();
}

async function showSummary() {
  const answer = await fetch(`/console/summary?month=${encodeURIComponent(month.value)}`);
  summary.textContent = answer.ok ? await answer.text() : "No summary for this month.";
}

form.addEventListener("submit", signIn);
month.addEventListener("change", showSummary);
document.querySelector("#settlement").addEventListener("click", () => {
  window.location.assign(`/console/settlement?month=${encodeURIComponent(month.value)}`);
});
