// Secrets from files, for systems that hand them over in files: Docker and Kubernetes (`SECRETS_KEY_FILE=/run/secrets/key`), and
// systemd, whose credentials are files with the name of the variable in CREDENTIALS_DIRECTORY. So no secret needs to be in an
// environment, which `/proc` shows, children inherit and reports of crashes copy. A file is read once, at the start.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRailSecret } from './rail-variables.js';
import { type Environment, Variables } from './variables.js';

const SUFFIX = '_FILE';
const CREDENTIALS = 'CREDENTIALS_DIRECTORY';
const MAX_BYTES = 64 * 1024;

const SECRETS: readonly string[] = Object.entries(Variables.properties)
  .filter(([, schema]) => 'secret' in schema)
  .map(([name]) => name);

interface Source {
  /** As a person gives it. */
  readonly name: string;
  readonly path: string;
}

export interface ReadSecrets {
  /** With the values of the files, and without the names of the files. */
  readonly environment: Environment;
  readonly faults: readonly string[];
}

export function readSecretFiles(environment: Environment): ReadSecrets {
  const faults: string[] = [];
  const read: Record<string, string | undefined> = { ...environment };
  for (const secret of [...SECRETS, ...findRailSecrets(environment)]) {
    const sources = listSources(environment, secret);
    delete read[secret + SUFFIX];
    const isGiven = (environment[secret]?.trim() ?? '') !== '';
    const names = [...(isGiven ? [secret] : []), ...sources.map(({ name }) => name)];
    if (names.length > 1) {
      faults.push(`${secret} is given more than once, by ${names.join(' and ')}: give one of them`);
      continue;
    }
    const [source] = sources;
    if (source === undefined) continue;
    const { value, fault } = readSecret(source);
    if (fault !== undefined) faults.push(fault);
    read[secret] = value;
  }
  return { environment: read, faults };
}

/** The secrets of rails that are given in any way. */
function findRailSecrets(environment: Environment): ReadonlySet<string> {
  const names = Object.keys(environment).map((name) =>
    name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name,
  );
  return new Set([...names, ...listCredentials(environment)].filter(isRailSecret));
}

/** A folder that cannot be listed has none: a secret that a rail misses then is a fault of its own. */
function listCredentials(environment: Environment): readonly string[] {
  const folder = environment[CREDENTIALS]?.trim() ?? '';
  if (folder === '') return [];
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function listSources(environment: Environment, secret: string): readonly Source[] {
  const path = environment[secret + SUFFIX]?.trim() ?? '';
  const folder = environment[CREDENTIALS]?.trim() ?? '';
  const credential = join(folder, secret);
  const hasCredential = folder !== '' && isThere(credential);
  return [
    ...(path === '' ? [] : [{ name: secret + SUFFIX, path }]),
    ...(hasCredential ? [{ name: `the file ${secret} in ${CREDENTIALS}`, path: credential }] : []),
  ];
}

/** Also a file of a folder that may not be entered: reading it says so. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** A line break at the end does not count, because editors and `echo` write one. */
function readSecret({ name, path }: Source): { readonly value?: string; readonly fault?: string } {
  const describe = (reason: string): { fault: string } => ({
    fault: `${name} must be a file with the secret alone (${JSON.stringify(path)}: ${reason})`,
  });
  try {
    if (statSync(path).size > MAX_BYTES) return describe(`more than ${MAX_BYTES} bytes`);
    const value = readFileSync(path, 'utf8').trim();
    return value === '' ? describe('it is empty') : { value };
  } catch (error) {
    return describe(error instanceof Error ? error.message : String(error));
  }
}
