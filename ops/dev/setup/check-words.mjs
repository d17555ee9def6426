// The lint step for prose: no sentence of a comment, a test title or a document begins with "who", "what", "whose",
// "whoever" or "whatever". Such a sentence hides its subject until its end (CONTRIBUTING.md, "Words").
//   node ops/dev/setup/check-words.mjs          lists the places; ends with 1 when there are any
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const SOURCE = /\.(ts|tsx|js|mjs|cjs|css)$/;
const SCRIPT = /\.(sql|lua|yml|sh)$/;
const OPENING = /(?:^|[.!?][)"'`]?\s+)(who|what|whose|whoever|whatever)\b(?![^.!?]*\?)/gi;

/** The comments of a text, each with its first line; neighbouring line comments are one. */
function listComments(text, pattern) {
  const comments = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const found = pattern.exec(line);
    const last = comments.at(-1);
    if (found === null) continue;
    if (last !== undefined && last.end === index - 1 && found.index === last.column) {
      last.text += ` ${found[1]}`;
      last.end = index;
    } else {
      comments.push({ text: found[1], line: index + 1, end: index, column: found.index });
    }
  }
  return comments;
}

function listBlocks(text) {
  return [...text.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map((block) => ({
    text: block[1].replace(/\n\s*\* ?/g, ' ').trim(),
    line: text.slice(0, block.index).split('\n').length,
  }));
}

function listTitles(text) {
  return [...text.matchAll(/\bt(?:ap)?\.test\(\s*(['"`])([^\n]*?)\1/g)].map((title) => ({
    text: title[2],
    line: text.slice(0, title.index).split('\n').length,
  }));
}

/** Paragraphs and list items of Markdown, without code, headings and tables. */
function listParagraphs(text) {
  const prose = text.replace(/```[\s\S]*?```/g, (code) => code.replace(/[^\n]/g, ''));
  return prose.split('\n').flatMap((line, index) => {
    if (/^(#|\||\s*$)/.test(line)) return [];
    return [
      {
        text: line.replace(/^\s*([-*>]|\d+\.)\s+/, ''),
        line: index + 1,
        isInner:
          index > 0 &&
          /\S/.test(prose.split('\n')[index - 1]) &&
          !/^\s*([-*>]|\d+\.)\s+/.test(line),
      },
    ];
  });
}

function listSentences(path, text) {
  if (path.endsWith('.md')) return listParagraphs(text);
  if (SCRIPT.test(path)) return listComments(text, /(?:--|#)\s+(.*)$/);
  return [
    ...listComments(text, /(?<![:'"`])\/\/\s+(.*)$/),
    ...listBlocks(text),
    ...listTitles(text),
  ];
}

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  .split('\n')
  .filter(
    (path) => existsSync(path) && (SOURCE.test(path) || SCRIPT.test(path) || path.endsWith('.md')),
  );
let count = 0;
for (const path of files) {
  for (const { text, line, isInner } of listSentences(path, readFileSync(path, 'utf8'))) {
    for (const found of text.matchAll(OPENING)) {
      if (isInner && found.index === 0) continue;
      count += 1;
      console.error(
        `${path}:${line}: a sentence begins with "${found[1]}": ${text.slice(found.index, found.index + 60).trim()}`,
      );
    }
  }
}
if (count > 0) {
  console.error(
    `${count} sentences hide their subject: begin with the subject, then verb, object, reason.`,
  );
  process.exitCode = 1;
}
