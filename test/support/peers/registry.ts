// A registry of packages on loopback that answers as told, and the check of vulnerabilities, whose npm asks it.
import { execFile } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { makeFolder, type TestScope } from '../servers.js';

const CHECK = join(findPackageRoot(), 'ops/dev/setup/check-vulnerabilities.mjs');
/** The question that npm asks about vulnerabilities. */
export const BULK = 'POST /-/npm/v1/security/advisories/bulk';

interface Outcome {
  readonly code: number;
  readonly stderr: string;
}

export function runCheck(env: NodeJS.ProcessEnv, words: readonly string[] = []): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CHECK, ...words], { env }, (error, _stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stderr });
    });
  });
}

interface Setting {
  readonly words?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a registry, and runs the check with the real npm, which asks it. */
export async function checkAt(
  t: TestScope,
  registry: RequestListener,
  { words = [], env = {} }: Setting = {},
): Promise<Outcome & { readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    registry(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const settings = {
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_fetch_retries: '0',
    npm_config_cache: makeFolder(t),
  };
  return { ...(await runCheck({ ...process.env, ...settings, ...env }, words)), asked };
}

type Severities = Readonly<Record<string, string>>;
/** Of the package by which the check finds out whether a registry knows anything. */
export const INFORMED: Severities = { minimist: 'critical' };

/** A registry that knows these vulnerabilities, by package. */
export const know =
  (severities: Severities): RequestListener =>
  (request, response) => {
    const send = (body: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.method === 'GET') {
      const name = request.url?.slice(1);
      send({ name, versions: { '1.0.0': { name, version: '1.0.0' } } });
      return;
    }
    void buffer(request).then((sent) => {
      const isZipped = request.headers['content-encoding'] === 'gzip';
      const text = (isZipped ? gunzipSync(sent) : sent).toString();
      const known = Object.keys(JSON.parse(text) as object).flatMap((name) => {
        const severity = severities[name];
        if (severity === undefined) return [];
        const advisory = { id: 1, url: 'https://example.com/1', title: 'A fault', severity };
        return [[name, [{ ...advisory, vulnerable_versions: '*' }]]];
      });
      send(Object.fromEntries(known) as object);
    });
  };

/** A registry that answers every request so. */
export const answer =
  (status: number, body: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
