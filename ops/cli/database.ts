// The database that an operator's command works on: DATABASE_URL, else that of the `npm start` which runs on
// DATA_DIR.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { ConfigError, readConfig } from '../runtime/config.js';

const CONNECTIONS = 1;

/** Opens it; without an address, or with a wrong configuration, the process ends with a message and 2. */
export function openDatabase(purpose: string): Postgres {
  return openPostgres(findAddress(), purpose, CONNECTIONS);
}

function findAddress(): string {
  try {
    const { databaseUrl, dataDir } = readConfig('start');
    return databaseUrl || readAddress(join(dataDir, 'addresses.json'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return endWith(error.message);
  }
}

/** Written by `npm start`. */
function readAddress(file: string): string {
  try {
    const { databaseUrl } = JSON.parse(readFileSync(file, 'utf8')) as { databaseUrl: string };
    return databaseUrl;
  } catch {
    return endWith('DATABASE_URL is missing, and no npm start runs in DATA_DIR');
  }
}

function endWith(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
