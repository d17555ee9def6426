// The Indonesian texts have one word for each thing: those of the table in docs/glossary.md.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const GATEWAY = join(findPackageRoot(), 'gateway');
/** The files of texts; some hold both languages. */
const TEXTS = /(?:texts(?:\.id)?|indonesian|reasons\.id|navigation)\.ts$/;
const COMMENTS = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;
const LITERALS = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;
const ROW = /^\| [^|]+ \| [^|]+ \| ([^|]+) \|$/gm;

function listUnwanted(): readonly string[] {
  const glossary = readFileSync(join(findPackageRoot(), 'docs/glossary.md'), 'utf8');
  const [, table = ''] = glossary.split('## Words of the Indonesian texts');
  const cells = [...table.matchAll(ROW)].map(([, cell = '']) => cell);
  return cells.filter((cell) => cell !== 'Not').flatMap((cell) => cell.split(', '));
}

/** Without the parts that are filled in, and without names such as `'email'` of a field. */
function listTexts(source: string): readonly string[] {
  return [...source.replace(COMMENTS, '').matchAll(LITERALS)]
    .map(([, plain, template]) => plain ?? (template ?? '').replace(/\$\{[^}]*\}/g, ''))
    .filter((text) => !/^[a-z_.]+$/.test(text));
}

t.test('no text has another word for a thing of the glossary', (t) => {
  const unwanted = listUnwanted();
  t.ok(unwanted.length > 10, 'the table was read');
  const files = readdirSync(GATEWAY, { recursive: true, encoding: 'utf8' }).filter((path) =>
    TEXTS.test(path),
  );
  const texts = files.flatMap((path) =>
    listTexts(readFileSync(join(GATEWAY, path), 'utf8')).map((text) => ({ path, text })),
  );
  t.ok(texts.length > 1_000, 'texts were read');
  t.same(
    texts.filter(({ text }) =>
      unwanted.some((word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'i').test(text)),
    ),
    [],
  );
  t.end();
});
