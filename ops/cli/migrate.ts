// `kasir migrate`: run it before new code starts.
import type { Command } from '@commander-js/extra-typings';
import { explainPooling } from '#store/postgres/migration/installation.js';
import { migrate } from '#store/postgres/migration/migrate.js';
import { findDatabaseUrl } from './base/database.js';
import { addCommand } from './base/options.js';
import { print } from './base/output.js';
import { withProgress } from './base/progress.js';

export function addMigrate(program: Command): void {
  const purpose = 'Bring the database to the newest schema';
  const example = 'DATABASE_URL=postgres://… kasir migrate';
  addCommand(program, 'migrate', purpose, example).action(async (format) => {
    const applied = await withProgress((tell) => migrate(findDatabaseUrl(), tell)).catch(
      explainPooling,
    );
    print({ applied }, format, applied.length === 0 ? 'up to date' : `applied ${applied.join()}`);
  });
}
