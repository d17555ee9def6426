// Faults of the page itself: an error of a script, or a file that could not be loaded, as after an update of the service. The
// operator hears of each; no report says whose page it was (gateway/pages/page-faults.ts logs it).
import { ApiFailure, ConnectionFailure } from '../api/failure.js';

const PATH = '/page-faults';
/** A page that fails again and again need not tell each time. */
const MAX_REPORTS = 5;
const MAX_MESSAGE = 300;
/** The words of Chrome and Firefox, of Safari, and of Vite for a style sheet. */
const LOST_FILE =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

export type FaultKind = 'script' | 'file';

/** null: the error is not the page's; the API answered with it, or nothing did. */
export function findFault(error: unknown): FaultKind | null {
  if (error instanceof ApiFailure || error instanceof ConnectionFailure) return null;
  return error instanceof Error && LOST_FILE.test(error.message) ? 'file' : 'script';
}

const reported = new Set<string>();

/** Tells the operator of an error, once, if it is a fault of the page. */
export function reportFault(error: unknown): void {
  const kind = findFault(error);
  const message = String(error).slice(0, MAX_MESSAGE);
  if (kind === null || reported.size >= MAX_REPORTS || reported.has(message)) return;
  reported.add(message);
  const body = JSON.stringify({ kind, message, build: findBuild(), view: describeView() });
  const headers = { 'Content-Type': 'application/json' };
  // `keepalive`: the person may leave the page at once.
  fetch(PATH, { method: 'POST', body, headers, keepalive: true }).catch(() => {
    // Without a connection nobody can be told.
  });
}

/** The first script of the page, whose name changes with each build. */
function findBuild(): string {
  const script = document.querySelector<HTMLScriptElement>('script[type=module]');
  return script?.src.split('/').at(-1) ?? '';
}

/** The path without ids, which have digits or underscores. */
function describeView(): string {
  const parts = location.pathname.split('/');
  return parts.map((part) => (/^[a-z-]*$/.test(part) ? part : ':id')).join('/');
}
