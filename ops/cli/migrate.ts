// Brings the database of DATABASE_URL to the schema of this build; to be run before new code starts.
import { readConfig } from '../runtime/config.js';
import { migrate } from '#store/postgres/migrate.js';
import { SchemaError } from '#store/postgres/schema-state.js';

const { databaseUrl } = readConfig('start');
if (databaseUrl === '') {
  process.stderr.write('DATABASE_URL is missing\n');
  process.exit(1);
}
try {
  const applied = await migrate(databaseUrl);
  process.stdout.write(applied.length === 0 ? 'up to date\n' : `applied ${applied.join(', ')}\n`);
} catch (error) {
  if (!(error instanceof SchemaError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
