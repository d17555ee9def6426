// @ts-check
// Sends the secret of a mailed link, which stands behind the `#` of the address, and shows what came of it. Without the secret
// the person pastes the code of the mail, or the whole link.

/** A secret at the beginning; programs that count clicks add something behind it. */
const SECRET = /^[\w-]{43}(?![\w-])/;

const form = /** @type {HTMLFormElement} */ (document.querySelector('form'));
const button = /** @type {HTMLButtonElement} */ (form.querySelector('button'));
const part = /** @type {HTMLElement} */ (form.querySelector('[data-part=code]'));
const code = /** @type {HTMLInputElement} */ (part.querySelector('input'));
const password = /** @type {HTMLInputElement} */ (form.querySelector('input[type=password]'));

/**
 * The secret in a link or a code, which may be broken over lines. Empty: there is none.
 * @param {string} text
 */
function findSecret(text) {
  const [, behind = text] = /(?:#|%23)([^#]*)$/.exec(text) ?? [];
  return SECRET.exec(behind.replace(/\s/g, ''))?.[0] ?? '';
}

const secret = findSecret(location.hash);
if (secret === '') {
  part.hidden = false;
  code.required = true;
}

/** @param {string} outcome */
function show(outcome) {
  for (const message of document.querySelectorAll('[data-outcome]')) {
    message.toggleAttribute('hidden', message.getAttribute('data-outcome') !== outcome);
  }
  form.hidden = outcome === 'done' || (outcome === 'invalid' && secret !== '');
}

/** @returns {Promise<string>} */
async function send() {
  const token = secret === '' ? findSecret(code.value) : secret;
  if (token === '') return 'unreadable';
  const answer = await fetch(form.dataset['action'] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: password.value }),
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
form.hidden = false;
