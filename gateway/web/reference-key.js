// @ts-check
// The TEST key of the reader, for the calls and the examples of the page. It is in the memory of the page only: keys are stored
// as digests, so an older one cannot be shown. A reader with a session may make one here.

/** The security scheme of the document that takes a key. */
export const KEY_SCHEME = 'bearer';
const TEST_KEY = /^sk_test_[0-9A-Za-z]{38}$/;
const LIVE_KEY = /sk_live_/i;
const LIVE_REFUSED = 'This page takes no LIVE key, because its calls would move real money.';
const PASTE_TEST = `${LIVE_REFUSED} Paste a TEST key, which begins with sk_test_.`;
const NO_KEY = 'A TEST key is sk_test_ and 38 letters and digits. Paste the whole key.';
const UNREACHABLE = 'The service did not answer. Try again.';
const KEY_NAME = 'API reference';

/**
 * Returns the reason why the page does not take the text as a key.
 * @param {string} text
 */
function findProblem(text) {
  if (LIVE_KEY.test(text)) return PASTE_TEST;
  return TEST_KEY.test(text) ? null : NO_KEY;
}

/**
 * For the dialog of the library, which takes other credentials too: it refuses LIVE keys with the same words.
 * @param {(payload: Record<string, any>) => unknown} authorize
 * @param {any} system
 */
export const refuseLiveKeys = (authorize, system) => (/** @type {Record<string, any>} */ given) => {
  const live = Object.entries(given).find(([, entry]) => LIVE_KEY.test(String(entry?.value ?? '')));
  return live === undefined ? authorize(given) : showRefusal(system, live[0]);
};

/**
 * @param {any} system
 * @param {string} authId
 */
function showRefusal(system, authId) {
  const { errActions } = system.getSystem();
  // Not of the level `error`, which the library repeats above the operations.
  errActions.newAuthErr({ authId, level: 'warning', source: 'key', message: LIVE_REFUSED });
}

/** @returns {Promise<{ merchant: string } | null>} null: the session may not make keys, or has ended. */
async function findKeyMaker() {
  const answer = await fetch('/v1/auth/me');
  if (!answer.ok) return null;
  const { merchant, permissions } = await answer.json();
  const mayMake = merchant !== null && permissions.includes('change_keys');
  return mayMake ? { merchant: merchant.business_name } : null;
}

/** @returns {Promise<{ key: string } | { problem: string }>} */
async function makeKey() {
  try {
    const answer = await fetch('/v1/merchants/me/api-keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ environment: 'TEST', name: KEY_NAME }),
    });
    const { secret, error } = await answer.json();
    return answer.ok ? { key: secret } : { problem: error.message };
  } catch {
    return { problem: UNREACHABLE };
  }
}

/**
 * The component in place of the button that opens the dialog of the library.
 * @param {any} system
 * @param {{ hasSession: boolean }} options
 */
export function createKeyPanel(system, { hasSession }) {
  const { React } = system;
  const { createElement: make, useEffect, useRef, useState } = React;

  /** @param {{ useKey: (key: string) => void }} props */
  function PasteForm({ useKey }) {
    const [text, setText] = useState('');
    const [problem, setProblem] = useState(null);
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      const key = text.trim();
      const found = findProblem(key);
      setProblem(found);
      if (found === null) useKey(key);
      // A LIVE key does not stay on the screen.
      else if (found === PASTE_TEST) setText('');
    };
    const field = {
      value: text,
      onChange: (/** @type {{ target: HTMLInputElement }} */ { target }) => setText(target.value),
      ...{ type: 'text', placeholder: 'sk_test_…', autoComplete: 'off', spellCheck: false },
    };
    return make(
      'form',
      { onSubmit: submit, noValidate: true },
      make('label', null, 'TEST key ', make('input', field)),
      make('button', { className: 'btn' }, 'Use this key'),
      make('p', { role: 'alert' }, problem),
    );
  }

  /** @param {{ useKey: (key: string) => void }} props */
  function MakeButton({ useKey }) {
    const [maker, setMaker] = useState(null);
    const [problem, setProblem] = useState(null);
    const [isMaking, setMaking] = useState(false);
    useEffect(() => void findKeyMaker().then(setMaker, () => undefined), []);
    if (maker === null) return null;
    const press = async () => {
      setMaking(true);
      const made = await makeKey();
      setMaking(false);
      if ('key' in made) useKey(made.key);
      else setProblem(made.problem);
    };
    return make(
      'div',
      null,
      make('button', { className: 'btn', disabled: isMaking, onClick: press }, 'Make a TEST key'),
      ` You are signed in for ${maker.merchant}. The dashboard lists the key as “${KEY_NAME}”.`,
      make('p', { role: 'alert' }, problem),
    );
  }

  function SignInLink() {
    const link = make('a', { href: '/dashboard' }, 'Sign in to the dashboard');
    return make('p', null, link, ', and come back to make a TEST key here.');
  }

  /** @param {{ useKey: (key: string) => void }} props */
  function KeyForm({ useKey }) {
    return make(
      React.Fragment,
      null,
      make(PasteForm, { useKey }),
      hasSession ? make(MakeButton, { useKey }) : make(SignInLink),
    );
  }

  /** @param {{ lastFour: string, forget: () => void }} props */
  function UsedKey({ lastFour, forget }) {
    return make(
      'div',
      null,
      make(
        'p',
        null,
        `Calls and examples of this page use the TEST key that ends with ${lastFour}.`,
      ),
      make('button', { className: 'btn', onClick: forget }, 'Forget the key'),
    );
  }

  return function KeyPanel() {
    const { authActions, authSelectors, preauthorizeApiKey } = system.getSystem();
    const key = authSelectors.authorized().getIn([KEY_SCHEME, 'value']);
    const panel = useRef(null);
    const shownKey = useRef(key);
    useEffect(() => {
      // The pressed button is gone, and the focus with it.
      if (shownKey.current !== key) panel.current.focus();
      shownKey.current = key;
    }, [key]);
    const useKey = (/** @type {string} */ text) => preauthorizeApiKey(KEY_SCHEME, text);
    const forget = () => authActions.logout([KEY_SCHEME]);
    return make(
      'section',
      { className: 'key-panel', 'aria-label': 'Your TEST key', tabIndex: -1, ref: panel },
      key === undefined
        ? make(KeyForm, { useKey })
        : make(UsedKey, { lastFour: key.slice(-4), forget }),
      make('p', null, 'The key is in the memory of this page only: a reload forgets it.'),
    );
  };
}
