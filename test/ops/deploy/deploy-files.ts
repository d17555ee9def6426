// The files of ops/deploy as tests read them: what compose.yaml gives to a process, and the secrets of make-secrets.sh.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { findPackageRoot } from '#ops/runtime/package-root.js';

export const DEPLOY = join(findPackageRoot(), 'ops/deploy');
export const KINDS = ['gateway', 'payments', 'rails', 'webhooks'] as const;

type SecretUse = string | { readonly source: string; readonly target: string };

export interface ComposeService {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets?: readonly SecretUse[];
}

export interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export const readCompose = (): Compose =>
  parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'), { merge: true }) as Compose;

/** By the names in /run/secrets: the files, with those of `folder` instead of the folder `secrets` of the repository. */
export function listSecretFiles(
  { secrets }: Compose,
  service: ComposeService | undefined,
  folder: string,
): readonly (readonly [name: string, file: string])[] {
  const made = join(findPackageRoot(), 'secrets');
  return (service?.secrets ?? []).map((use) => {
    const { source, target } = typeof use === 'string' ? { source: use, target: use } : use;
    const file = resolve(DEPLOY, secrets[source]?.file ?? 'missing');
    return [target, file.replace(made, folder)] as const;
  });
}

/** The variables of a file with a line for each. */
export function readVariables(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

export const readSettings = (): Record<string, string> =>
  readVariables(readFileSync(join(DEPLOY, 'kasir.env'), 'utf8'));

/** Of the image, whose ENV is one line. */
export function readImageVariables(): Record<string, string> {
  const [, line = ''] = /^ENV (.*)$/m.exec(readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')) ?? [];
  return readVariables(line.replaceAll(' ', '\n'));
}

/** All documents of a YAML file. */
export const readDocuments = (path: string): readonly Record<string, unknown>[] =>
  parseAllDocuments(readFileSync(path, 'utf8')).map(
    (document) => document.toJS() as Record<string, unknown>,
  );

export function makeSecrets(folder: string, postgres: string, redis: string): void {
  execFileSync(join(DEPLOY, 'make-secrets.sh'), [folder, postgres, redis]);
}
