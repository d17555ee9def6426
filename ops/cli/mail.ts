// Mails that the service wrote, for operators; without SMTP_URL this is where they are read.
//   npm run mail -- list [--to owner@toko.example] [--limit 20] [--json]
// It ends with 0; with 2 when it was called wrongly.
import { parseArgs } from 'node:util';
import { type KeptMail, listMails } from '#store/postgres/accounts/mails.js';
import { openDatabase } from './database.js';

const USAGE = 'npm run mail -- list [--to owner@toko.example] [--limit 20] [--json]\n';
const MAX_LIMIT = 1_000;

interface Order {
  readonly recipient: string | null;
  readonly limit: number;
  readonly isJson: boolean;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function parseOrder(words: readonly string[]): Order | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: {
        to: { type: 'string' },
        limit: { type: 'string', default: '20' },
        json: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    const limit = Number(values.limit);
    if (positionals.join() !== 'list' || !Number.isInteger(limit)) return null;
    if (limit < 1 || limit > MAX_LIMIT) return null;
    return { recipient: values.to?.toLowerCase() ?? null, limit, isJson: values.json };
  } catch {
    return null;
  }
}

function describe({ createdAt, sentAt, recipient, subject, body, error }: KeptMail): string {
  const state = sentAt === null ? `not sent${error === null ? '' : `: ${error}`}` : 'sent';
  return `${createdAt.toISOString()}  ${recipient}  ${subject}  (${state})\n\n${body}`;
}

async function run(order: Order | null): Promise<number> {
  if (order === null) {
    process.stderr.write(USAGE);
    return 2;
  }
  const sql = openDatabase('mail');
  try {
    const mails = await listMails(sql, order.recipient, order.limit);
    for (const mail of mails) print(order.isJson ? JSON.stringify(mail) : describe(mail));
    if (!order.isJson) print(mails.length === 0 ? 'no mails' : `${mails.length} shown`);
    return 0;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

process.exitCode = await run(parseOrder(process.argv.slice(2)));
