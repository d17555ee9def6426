// Reports of browsers that a page violated its content security policy. A report names the page, whose address opens a
// checkout, so only the violated directive and the origin of the blocked resource are logged.
import { createCounter } from '#ops/runtime/metrics.js';
import {
  type BrowserReportDeps,
  createLogLimit,
  parseReport,
  readField,
  readText,
} from './browser-reports.js';

const MAX_TEXT = 100;
const DIRECTIVE = /^[a-z-]{1,40}$/;

export type NoteCspReport = (body: Buffer) => void;

export function createCspReports({ registry, log, nowMs }: BrowserReportDeps): NoteCspReport {
  const counter = createCounter(registry, 'gateway_csp_reports_total', 'CSP reports of browsers');
  const mayLog = createLogLimit(nowMs);
  return (body) => {
    counter.inc();
    if (!mayLog()) return;
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
  const json = parseReport(body);
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
