// Reads grids of tests: each is a text of a header line with the names of its columns, and lines
// that begin with the name of their row.

export interface Grid {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

export interface Grids {
  readonly grids: readonly Grid[];
  /** All codes, each once, sorted. */
  readonly codes: readonly string[];
  /** The code of a cell; throws when there is no such cell. */
  readonly readCell: (column: string, row: string) => string;
}

/** Throws when a line lacks a cell or a column appears twice. */
export function parseGrids(texts: readonly string[]): Grids {
  const cells = new Map<string, string>();
  const grids = texts.map((text) => parseGrid(text, cells));
  const readCell = (column: string, row: string): string => {
    const code = cells.get(`${column} in ${row}`);
    if (code === undefined) throw new Error(`the grids have no cell for ${column} in ${row}`);
    return code;
  };
  return { grids, codes: [...new Set(cells.values())].sort(), readCell };
}

function parseGrid(text: string, cells: Map<string, string>): Grid {
  const [columns = [], ...lines] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/));
  const rows = lines.map(([row = '', ...codes]) => {
    if (codes.length !== columns.length) throw new Error(`row ${row} has ${codes.length} cells`);
    codes.forEach((code, index) => {
      const name = `${columns[index]} in ${row}`;
      if (cells.has(name)) throw new Error(`the grids have two cells for ${name}`);
      cells.set(name, code);
    });
    return row;
  });
  return { columns, rows };
}
