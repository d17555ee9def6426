// Reports of browsers that a page violated its content security policy. Anybody may send them: each is counted, and few
// of them are logged. A report names the page, whose address opens a checkout, so only the violated directive and the
// origin of the blocked resource are logged.
import type { Log } from '#ops/runtime/log.js';
import { createCounter, type Registry } from '#ops/runtime/metrics.js';

const LOGGED_A_MINUTE = 3;
const MINUTE_MS = 60_000;
const MAX_TEXT = 100;
const DIRECTIVE = /^[a-z-]{1,40}$/;

export type NoteCspReport = (body: Buffer) => void;

export interface CspReportDeps {
  readonly registry: Registry;
  readonly log: Pick<Log, 'warn'>;
  readonly nowMs: () => number;
}

export function createCspReports({ registry, log, nowMs }: CspReportDeps): NoteCspReport {
  const counter = createCounter(registry, 'gateway_csp_reports_total', 'CSP reports of browsers');
  let minute = 0;
  let logged = 0;
  return (body) => {
    counter.inc();
    const now = Math.floor(nowMs() / MINUTE_MS);
    if (now !== minute) [minute, logged] = [now, 0];
    if (logged >= LOGGED_A_MINUTE) return;
    logged += 1;
    log.warn(readViolation(body), 'a browser reported a violation of the content security policy');
  };
}

interface Violation {
  readonly directive: string;
  /** The origin, or a word such as `inline`. */
  readonly blocked: string;
}

/** `report-uri` sends one object, `report-to` a list. */
function readViolation(body: Buffer): Violation {
  const json = parse(body);
  const first: unknown = Array.isArray(json) ? json[0] : json;
  const report = readField(first, 'csp-report') ?? readField(first, 'body');
  const directive =
    readText(report, 'effectiveDirective') ?? readText(report, 'effective-directive');
  const blocked = readText(report, 'blockedURL') ?? readText(report, 'blocked-uri') ?? '';
  return {
    directive: directive !== undefined && DIRECTIVE.test(directive) ? directive : 'unknown',
    blocked: URL.canParse(blocked) ? new URL(blocked).origin.slice(0, MAX_TEXT) : readWord(blocked),
  };
}

const readWord = (text: string): string => (/^[a-z-]{1,20}$/.test(text) ? text : 'unknown');

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const readField = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

function readText(value: unknown, name: string): string | undefined {
  const field = readField(value, name);
  return typeof field === 'string' ? field : undefined;
}
