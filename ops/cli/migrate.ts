// Brings the database of DATABASE_URL to the newest schema; to be run before new code starts.
import { readConfig } from '../runtime/config.js';
import { migrate } from '#store/postgres/migrate.js';

const { databaseUrl } = readConfig('start');
if (databaseUrl === '') {
  process.stderr.write('DATABASE_URL is missing\n');
  process.exit(1);
}
const applied = await migrate(databaseUrl);
process.stdout.write(applied.length === 0 ? 'up to date\n' : `applied ${applied.join(', ')}\n`);
