// Reports of the dashboard about its own faults: an error of its scripts, or a file that could not be loaded. The log keeps
// nothing personal: ids, numbers, addresses and texts that a message quotes are masked here, since anybody may send a report.
import { createCounter } from '#ops/runtime/metrics.js';
import {
  type BrowserReportDeps,
  createLogLimit,
  parseReport,
  readText,
} from './browser-reports.js';

/** script: an error of a script. file: a script or a style sheet is missing. unreadable: no report of the dashboard. */
export const FAULT_KINDS = ['script', 'file', 'unreadable'] as const;
type FaultKind = (typeof FAULT_KINDS)[number];

const MAX_MESSAGE = 200;
const FILE = /https?:\/\/[^\s/]+\/dashboard\/assets\/([\w.-]{1,80})\S*/g;
const ADDRESS = /\w+:\/\/\S+|\S*@\S*/g;
const QUOTED = /"[^"]*"?|'[^']*'?/g;
/** The name of a property of the program. The beginning of an answer that is not JSON is quoted as `"text"`. */
const NAME = /^'[\w$]{1,40}'$/;
const ID_OR_NUMBER = /\b[a-z]+_[0-9a-z]{10,}|\d{4,}/gi;
const BUILD = /^[\w.-]{1,60}$/;
/** A path whose ids the dashboard has left out. */
const VIEW = /^[a-z/:-]{1,100}$/;

export type NotePageFault = (body: Buffer) => void;

interface PageFault {
  readonly kind: FaultKind;
  readonly message: string;
  /** The first script of the page, whose name changes with each build. */
  readonly build: string;
  readonly view: string;
}

export function createPageFaults({ registry, log, nowMs }: BrowserReportDeps): NotePageFault {
  const counter = createCounter(registry, 'gateway_page_faults_total', 'Faults of the dashboard', {
    kind: FAULT_KINDS,
  });
  const mayLog = createLogLimit(nowMs);
  return (body) => {
    const fault = readFault(body);
    counter.inc({ kind: fault.kind });
    if (mayLog()) log.warn(fault, 'the dashboard reported a fault of its own');
  };
}

function readFault(body: Buffer): PageFault {
  const report = parseReport(body);
  const sent = readText(report, 'kind');
  const kind = FAULT_KINDS.find((known) => known === sent) ?? 'unreadable';
  const take = (name: string, pattern: RegExp): string => {
    const text = readText(report, name) ?? '';
    return pattern.test(text) ? text : 'unknown';
  };
  return {
    kind,
    message: maskMessage(readText(report, 'message') ?? ''),
    build: take('build', BUILD),
    view: take('view', VIEW),
  };
}

function maskMessage(message: string): string {
  return message
    .slice(0, MAX_MESSAGE)
    .replace(FILE, '$1')
    .replace(ADDRESS, '…')
    .replace(QUOTED, (quoted) => (NAME.test(quoted) ? quoted : '…'))
    .replace(ID_OR_NUMBER, '…');
}
