// @ts-check
// Sends the secret of a mailed link, which stands behind the `#` of the address, and shows what came of it.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form'));
const button = /** @type {HTMLButtonElement} */ (form.querySelector('button'));
const token = location.hash.slice(1);
form.hidden = false;

/** @param {string} outcome */
function show(outcome) {
  for (const message of document.querySelectorAll('[data-outcome]')) {
    message.toggleAttribute('hidden', message.getAttribute('data-outcome') !== outcome);
  }
  form.hidden = outcome === 'done' || outcome === 'invalid';
}

/** @returns {Promise<string>} */
async function send() {
  const input = /** @type {HTMLInputElement | null} */ (form.querySelector('input'));
  const password = input?.value;
  const answer = await fetch(form.dataset['action'] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  });
  if (answer.ok) return 'done';
  if (answer.status !== 400) return 'unavailable';
  const { error } = await answer.json();
  return error.param === 'password' ? 'refused' : 'invalid';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  button.disabled = true;
  send()
    .catch(() => 'unavailable')
    .then(show)
    .finally(() => {
      button.disabled = false;
    });
});
