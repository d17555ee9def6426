// The thread that attacks. A message names an attack, and requests are sent at its rate until the next message; null: none
// are. Each message is answered with the answers to the requests before it. A thread of its own, with the lowest priority, so that
// its own work delays neither the healthy traffic nor the service: a real attacker brings machines of its own.
import { readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { request } from 'undici';
import type { Attack, Orders } from './kinds.js';

/** More waiting requests than these are not sent: an attacker has a limit too. */
const MAX_UNANSWERED = 64;
const TICK_MS = 10;
const BODY_BYTES = 8 * 1024 * 1024;
const UPLOAD_MS = 30_000;
const DOCUMENT = buildDocument();
/** Base64 of 48 kB, which begins like no picture. */
const LOGO = 'AAAAGGZ0eXBhdmlm'.padEnd(64_000, 'A');
const QR_CLIENTS = 6;

const { perSecond, port, token, key, paymentIds } = workerData as Orders;
// On Linux a thread has a priority of its own, under its own id.
setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_LOW);
/** Readers that hold their connection and read nothing. */
const stalled: Socket[] = [];
let attack: Attack | null = null;
let answered: Record<number, number> = {};
let unanswered = 0;
let startedAtMs = 0;
let sent = 0;
/** Of all attacks, since each request has a name of its own. */
let index = 0;

const SENDERS: Readonly<Record<Attack, (index: number) => Promise<number>>> = {
  nothing: () => send('GET', '/v1/payment-methods', key),
  uploads: sendUpload,
  csv: openReader,
  logins: (index) =>
    send('POST', '/v1/auth/login', '', { email: `user${index}@example.com`, password: 'wrong' }),
  invitations: invite,
  checkout: (index) => send('GET', `/checkout/pay_${String(index).padStart(26, '0')}/status`, ''),
  dns: (index) =>
    send('POST', '/v1/merchants/me/webhooks', token, {
      environment: 'TEST',
      url: `https://shop${index}.example.com/`,
      allow_many: true,
    }),
  logo: () => send('PUT', '/v1/merchants/me/logo', token, { content: LOGO }),
  qr: (index) => send('GET', `/checkout/${paymentIds[index % paymentIds.length] ?? ''}/qr.png`, ''),
};

setInterval(() => {
  if (attack === null) return;
  const due = Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000);
  while (sent < due) {
    sent += 1;
    index += 1;
    if (unanswered < MAX_UNANSWERED) void count(SENDERS[attack](index));
  }
}, TICK_MS);

parentPort?.on('message', (next: Attack | null) => {
  for (const socket of stalled.splice(0)) socket.destroy();
  parentPort?.postMessage(answered);
  answered = {};
  attack = next;
  startedAtMs = performance.now();
  sent = 0;
});

async function count(answer: Promise<number>): Promise<void> {
  unanswered += 1;
  const status = await answer.catch(() => 0);
  unanswered -= 1;
  answered[status] = (answered[status] ?? 0) + 1;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

async function send(
  method: Method,
  path: string,
  credential: string,
  body?: object,
): Promise<number> {
  return (await ask(method, path, credential, body)).status;
}

async function ask(
  method: Method,
  path: string,
  credential: string,
  body?: object,
): Promise<{ status: number; text: string }> {
  const answer = await request(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      'x-forwarded-for': chooseClient(),
      ...(credential === '' ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

function chooseClient(): string {
  if (attack === 'logins') return `203.0.${index % 100}.${index % 250}`;
  return attack === 'qr' ? `203.0.113.${1 + (index % QR_CLIENTS)}` : '203.0.113.1';
}

async function invite(index: number): Promise<number> {
  const users = '/v1/merchants/me/users';
  const email = `victim+${index}@example.com`;
  const { status, text } = await ask('POST', users, token, { email, role: 'viewer' });
  const id = /"id":"(usr_[^"]+)"/.exec(text)?.[1];
  if (id !== undefined) await send('DELETE', `${users}/${id}`, token);
  return status;
}

/** Sends a whole body, unless the answer comes first. */
function sendUpload(): Promise<number> {
  const lines = ['Content-Type: application/json', `Content-Length: ${DOCUMENT.length}`];
  const socket = open('POST', '/v1/merchants/kyc/documents', lines);
  socket.write(DOCUMENT);
  return waitForHead(socket).finally(() => socket.destroy());
}

/** A PNG by its first bytes; base64 has four characters for three bytes. */
function buildDocument(): Buffer {
  const start = '{"purpose":"TAX","filename":"a.png","content":"';
  const end = '"}';
  const characters = Math.floor((BODY_BYTES - start.length - end.length) / 4) * 4;
  return Buffer.from(`${start}${'iVBORw0KGgo'.padEnd(characters, 'A')}${end}`);
}

async function openReader(): Promise<number> {
  const socket = open('GET', '/v1/merchants/me/payments', ['Accept: text/csv']);
  const status = await waitForHead(socket);
  socket.pause();
  if (status === 200) stalled.push(socket);
  else socket.destroy();
  return status;
}

function open(method: string, path: string, lines: readonly string[]): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  const head = [`${method} ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${token}`];
  socket.write([...head, 'X-Forwarded-For: 203.0.113.1', ...lines, '', ''].join('\r\n'));
  return socket;
}

function waitForHead(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => resolve(0), UPLOAD_MS);
    const end = (status: number): void => {
      clearTimeout(deadline);
      resolve(status);
    };
    socket.once('data', (chunk) => end(Number(chunk.toString('latin1').slice(9, 12))));
    socket.on('error', () => end(0));
    socket.on('close', () => end(0));
  });
}
