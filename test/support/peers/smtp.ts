// An SMTP server that accepts each mail until a test makes it reject them: the few commands that a sender needs.
import { createServer, type Socket } from 'node:net';
import type { TestScope } from '../servers.js';

export interface SmtpServer {
  readonly url: string;
  /** The received messages. */
  readonly messages: readonly string[];
  /** The arguments of RCPT TO. */
  readonly recipients: readonly string[];
  /** Answers each recipient with a temporary failure. */
  isRefusing: boolean;
}

export async function startSmtp(t: TestScope): Promise<SmtpServer> {
  const messages: string[] = [];
  const recipients: string[] = [];
  const sockets = new Set<Socket>();
  const state = { isRefusing: false };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    converse(socket, { messages, recipients }, state);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return Object.assign(state, { url: `smtp://127.0.0.1:${address.port}`, messages, recipients });
}

function converse(
  socket: Socket,
  { messages, recipients }: { readonly messages: string[]; readonly recipients: string[] },
  state: { readonly isRefusing: boolean },
): void {
  let rest = '';
  let message: string[] | undefined;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const take = (line: string): void => {
    if (message !== undefined) {
      if (line !== '.') return void message.push(line);
      messages.push(message.join('\n'));
      message = undefined;
      return say('250 taken');
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'DATA') message = [];
    if (verb === 'DATA') return say('354 go on');
    if (verb === 'RCPT') recipients.push(line.replace(/^RCPT TO:/i, ''));
    if (verb === 'QUIT') return say('221 bye');
    say(verb === 'RCPT' && state.isRefusing ? '451 not now' : '250 fine');
  };
  say('220 test');
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}

export interface ReadMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The decoded parts of a received message: its text is plain, quoted-printable or base64. */
export function readMessage(message: string): ReadMessage {
  const at = message.indexOf('\n\n');
  const head = message.slice(0, at).replace(/\n[ \t]+/g, ' ');
  const body = message.slice(at + 2);
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '';
  const encoding = field('Content-Transfer-Encoding').toLowerCase();
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? decodeQuoted(body.replace(/=\n/g, ''))
        : body;
  return { to: field('To'), subject: decodeSubject(field('Subject')), text };
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** Encoded words of RFC 2047; the space between two of them is not part of the text. */
const decodeSubject = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replace(/_/g, ' ')),
    );
