// One line of the table in README.md.
export interface Row {
  bench: string;
  /** The measured figure of the control, or what stands for it. */
  control: string;
  service: string;
  /** `6.1 ×`, or what was measured when there is no control. */
  result: string;
  target: string;
  isMet: boolean;
}

const HEAD = ['bench', 'control', 'service', 'result', 'to reach', ''];

export function formatRows(rows: readonly Row[]): string {
  const lines = [HEAD, HEAD.map(() => '---'), ...rows.map(cellsOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf(row: Row): string[] {
  const { bench, control, service, result, target, isMet } = row;
  return [bench, control, service, result, target, isMet ? 'reached' : '**missed**'];
}
