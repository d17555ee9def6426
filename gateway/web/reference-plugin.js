// @ts-check
// The plug-in of the interactive reference: answers and headers fold, an operation shows its example request as programs, and
// the panel of the TEST key is in place of the button "Authorize" where the document takes keys.
import { createKeyPanel, KEY_SCHEME, refuseLiveKeys } from './reference-key.js';
import { buildExampleCall, LANGUAGES } from './reference-snippets.js';

/** @typedef {import('./reference-snippets.js').Spec} Spec */
/** @typedef {import('./reference-snippets.js').Call} Call */

const REPLAYED = 'Idempotent-Replayed';

/**
 * The first answer of success that is no replay; an operation without one shows its first answer.
 * @param {Record<string, { headers?: object }>} responses
 */
function chooseShownAnswer(responses) {
  const codes = Object.keys(responses);
  const isShown = (/** @type {string} */ code) =>
    code.startsWith('2') && !(REPLAYED in (responses[code]?.headers ?? {}));
  return codes.find(isShown) ?? codes[0];
}

/**
 * @param {any} spec
 * @param {any} path an Immutable.List of names, which leads to a node of the document
 */
const findNode = (spec, path) =>
  path.reduce((/** @type {any} */ node, /** @type {string} */ name) => node?.[name], spec);

/** @param {Spec} spec */
const foldAnswers = (spec) => (/** @type {any} */ Answer, /** @type {any} */ system) => {
  const { createElement: make, Fragment, useState } = system.React;
  return function FoldedAnswer(/** @type {any} */ props) {
    const { code, className, specPath, getComponent } = props;
    const responses = findNode(spec, specPath.pop());
    const isFolding = String(code) !== chooseShownAnswer(responses);
    const [isOpen, setOpen] = useState(false);
    if (!isFolding) return make(Answer, props);
    const Markdown = getComponent('Markdown', true);
    const fold = {
      ...{ type: 'button', className: 'fold', 'aria-expanded': isOpen },
      onClick: () => setOpen(!isOpen),
    };
    const row = make(
      'tr',
      { className: `response folded ${className}`, 'data-code': code },
      make('td', { className: 'response-col_status' }, code),
      make(
        'td',
        { className: 'response-col_description' },
        make(Markdown, { source: responses[code].description }),
        make('button', fold, `${isOpen ? 'Hide' : 'Show'} the answer ${code}`),
      ),
      make('td', { className: 'response-col_links' }),
    );
    const answer = make(Answer, { ...props, className: `${className} unfolded` });
    return make(Fragment, null, row, isOpen ? answer : null);
  };
};

const foldHeaders = (/** @type {any} */ Headers, /** @type {any} */ { React }) =>
  function FoldedHeaders(/** @type {any} */ props) {
    const summary = React.createElement('summary', null, 'Headers');
    const table = React.createElement(Headers, props);
    return React.createElement('details', { className: 'folded-headers' }, summary, table);
  };

/** The example stays until a call shows the request that it sent. */
const addExample = (/** @type {any} */ Answers, /** @type {any} */ { React }) =>
  function AnswersWithExample(/** @type {any} */ props) {
    const { getComponent, path, method, tryItOutResponse } = props;
    const Example = getComponent('ExampleRequest', true);
    const isCalled = (tryItOutResponse?.size ?? 0) > 0;
    const example = isCalled ? null : React.createElement(Example, { path, method });
    return React.createElement(React.Fragment, null, example, React.createElement(Answers, props));
  };

/**
 * @param {Spec} spec
 * @param {any} system
 */
function createExampleRequest(spec, { React, Im }) {
  const { createElement: make } = React;
  return function ExampleRequest(/** @type {any} */ props) {
    const { path, method, authSelectors, getComponent } = props;
    const key = authSelectors.authorized().getIn([KEY_SCHEME, 'value']);
    const call = buildExampleCall(spec, { path, method }, { origin: location.origin, key });
    if (call === undefined) return null;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    // A Map has no order beyond eight entries.
    const request = Im.Map({ ...call, headers: Im.OrderedMap(call.headers), body });
    return make(
      'div',
      { className: 'example-request' },
      make('div', { className: 'opblock-section-header' }, make('h4', null, 'Example')),
      make(getComponent('RequestSnippets', true), { request }),
    );
  };
}

/**
 * @param {any} request an Immutable.Map of the library
 * @returns {Call}
 */
function readRequest(request) {
  const sent = request.get('body');
  const value = sent?.toJS?.() ?? sent;
  const headers = request.get('headers')?.toJS() ?? {};
  const body = value === null || value === '' ? undefined : value;
  const call = { method: request.get('method').toUpperCase(), url: request.get('url'), headers };
  return { ...call, body: typeof body === 'string' ? readJson(body) : body };
}

/** @param {string} text */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The tabs of the library are no buttons, and their colours and icons are inline. docs.js copies the program. */
function createSnippets(/** @type {any} */ { React }) {
  const { createElement: make, useState } = React;
  // Each operation begins with the language that the reader chose last.
  let chosen = Object.keys(LANGUAGES)[0];
  return function RequestSnippets(/** @type {any} */ { request, requestSnippetsSelectors }) {
    const [language, setLanguage] = useState(chosen);
    const generators = requestSnippetsSelectors.getSnippetGenerators();
    const choose = (/** @type {string} */ name) => {
      chosen = name;
      setLanguage(name);
    };
    const buttons = Object.entries(LANGUAGES).map(([name, { title }]) => {
      const pressed = { 'aria-pressed': name === language, onClick: () => choose(name) };
      return make('button', { key: name, type: 'button', ...pressed }, title);
    });
    const text = generators.getIn([language, 'fn'])(request);
    return make(
      'div',
      { className: 'snippets' },
      make('div', { className: 'languages', role: 'group', 'aria-label': 'Language' }, buttons),
      make(
        'div',
        { className: 'example' },
        make('pre', { tabIndex: 0 }, make('code', null, text)),
        make('button', { type: 'button', className: 'copy' }, 'Copy'),
      ),
    );
  };
}

/** The generators of the library's plug-in for snippets. */
const GENERATORS = Object.fromEntries(
  Object.entries(LANGUAGES).map(([name, { write }]) => [
    `requestSnippetGenerator_${name}`,
    (/** @type {any} */ request) => write(readRequest(request)),
  ]),
);

export const SNIPPET_OPTIONS = {
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: Object.fromEntries(
      Object.entries(LANGUAGES).map(([name, { title }]) => [name, { title, syntax: 'bash' }]),
    ),
    languages: Object.keys(LANGUAGES),
  },
};

/** The lock of an operation opens the dialog, which the panel replaces. */
function NoLock() {
  return null;
}

/**
 * @param {Spec} spec
 * @param {{ hasSession: boolean }} options
 */
export const createPlugin = (spec, options) => (/** @type {any} */ system) => {
  const takesKey = KEY_SCHEME in spec.components.securitySchemes;
  const keyComponents = takesKey
    ? { authorizeBtn: createKeyPanel(system, options), authorizeOperationBtn: NoLock }
    : {};
  return {
    fn: GENERATORS,
    components: {
      ...keyComponents,
      ExampleRequest: createExampleRequest(spec, system),
      RequestSnippets: createSnippets(system),
    },
    wrapComponents: {
      headers: foldHeaders,
      response: foldAnswers(spec),
      responses: addExample,
    },
    statePlugins: { auth: { wrapActions: { authorize: refuseLiveKeys } } },
  };
};
