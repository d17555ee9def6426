// @ts-check
// Keeps the hosted page up to date: it counts down, and renews the content when the payment changes. The page polls the
// server every POLL_MS unless a WebSocket is open, on which the server pushes changes. The page works without scripts.

const POLL_MS = 2_000;
/** A poll while the socket is open finds changes that a lost message hid. */
const SLOW_POLL_MS = 30_000;
const RECONNECT_MS = 5_000;
const MAX_RECONNECT_MS = 60_000;
const RETURN_AFTER_MS = 5_000;
const COPIED_MS = 2_000;
const FINAL_STAGES = ['paid', 'failed', 'expired', 'cancelled', 'refunded'];

const paymentId = main().dataset['id'] ?? '';
const path = `/checkout/${paymentId}`;
let isSocketOpen = false;
let reconnectMs = RECONNECT_MS;
/** @type {number | undefined} */
let pollTimer;

/** @returns {HTMLElement} */
function main() {
  return /** @type {HTMLElement} */ (document.querySelector('main'));
}

/** Shows the elements that need scripts, and starts the countdown. */
function enliven() {
  const scripted = main().querySelectorAll('[data-script], .copy');
  for (const element of scripted) element.removeAttribute('hidden');
  const timer = /** @type {HTMLElement | null} */ (main().querySelector('[data-left-ms]'));
  if (timer !== null) countDown(timer, performance.now() + Number(timer.dataset['leftMs']));
}

/**
 * @param {HTMLElement} timer
 * @param {number} endMs by the monotonic clock
 */
function countDown(timer, endMs) {
  const leftMs = endMs - performance.now();
  timer.textContent = formatTimeLeft(leftMs);
  if (!timer.isConnected) return;
  if (leftMs > 0) setTimeout(() => countDown(timer, endMs), leftMs % 1000 || 1000);
  else void poll();
}

/** @param {number} ms */
function formatTimeLeft(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) parts.unshift(hours);
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** @param {string} text the status as JSON, polled or pushed */
async function accept(text) {
  const { revision } = JSON.parse(text);
  if (typeof revision !== 'string' || revision === main().dataset['revision']) return;
  await renew();
}

/** Replaces the content by the server's new page. */
async function renew() {
  const answer = await fetch(path, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fresh = page.querySelector('main');
  if (fresh === null || fresh.dataset['revision'] === main().dataset['revision']) return;
  main().replaceWith(document.adoptNode(fresh));
  document.title = page.title;
  window.scrollTo({ top: 0 });
  enliven();
  if (fresh.dataset['stage'] === 'paid') returnToShop();
}

/** @type {number | undefined} */
let returnTimer;

/** Runs when the payment becomes paid on an open page. A customer who opens a paid page stays on it. */
function returnToShop() {
  const link = /** @type {HTMLAnchorElement | null} */ (main().querySelector('[data-return]'));
  if (link === null) return;
  main().querySelector('[data-redirecting]')?.removeAttribute('hidden');
  returnTimer = setTimeout(() => location.assign(link.href), RETURN_AFTER_MS);
}

/** A customer who keeps the receipt goes back with the button. */
function stay() {
  clearTimeout(returnTimer);
  main().querySelector('[data-redirecting]')?.setAttribute('hidden', '');
}

async function poll() {
  clearTimeout(pollTimer);
  try {
    const answer = await fetch(`${path}/status`);
    if (answer.ok) await accept(await answer.text());
  } catch {
    // No connection: the next poll tries again.
  }
  // A failed payment can still be paid late, so final pages keep polling, slowly.
  const isSlow = isSocketOpen || isOver() || document.hidden;
  pollTimer = setTimeout(poll, isSlow ? SLOW_POLL_MS : POLL_MS);
}

function isOver() {
  return FINAL_STAGES.includes(main().dataset['stage'] ?? '');
}

function listen() {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}/live`);
  socket.addEventListener('open', () => {
    isSocketOpen = true;
    reconnectMs = RECONNECT_MS;
  });
  socket.addEventListener('message', ({ data }) => void accept(String(data)));
  socket.addEventListener('close', () => {
    isSocketOpen = false;
    setTimeout(listen, reconnectMs);
    reconnectMs = Math.min(2 * reconnectMs, MAX_RECONNECT_MS);
    void poll();
  });
}

/**
 * Browsers offer the clipboard to pages with HTTPS only. Elsewhere, and where they refuse it, the number is selected and
 * copied; if that fails, too, it stays selected for the menu of the browser.
 * @param {string} text
 * @param {HTMLElement} button beside the number
 */
async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const number = button.parentElement?.querySelector('output');
    if (number) window.getSelection()?.selectAllChildren(number);
    // The selection of an amount has its dots, which apps of banks refuse.
    const replace = (/** @type {ClipboardEvent} */ event) => {
      event.clipboardData?.setData('text/plain', text);
      event.preventDefault();
    };
    document.addEventListener('copy', replace);
    const isCopied = document.execCommand('copy');
    document.removeEventListener('copy', replace);
    return isCopied;
  }
}

/** @param {HTMLElement} button */
async function copy(button) {
  const { copy: text = '', copied = '', selected = '' } = button.dataset;
  const label = button.firstChild;
  if (label === null) return;
  const before = label.textContent;
  if (before === copied || before === selected) return;
  label.textContent = (await copyText(text, button)) ? copied : selected;
  setTimeout(() => (label.textContent = before), COPIED_MS);
}

document.addEventListener('click', ({ target }) => {
  const part = target instanceof Element ? target.closest('[data-copy], .keep > *') : null;
  if (!(part instanceof HTMLElement)) return;
  if ('copy' in part.dataset) void copy(part);
  else stay();
  if ('print' in part.dataset) window.print();
});
enliven();
// A page that opens as paid only prints.
if (!isOver()) {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void poll();
  });
  listen();
  pollTimer = setTimeout(poll, POLL_MS);
}
