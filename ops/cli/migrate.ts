// `kasir migrate`: run it before new code starts.
import type { Command } from '@commander-js/extra-typings';
import { explainPooling } from '#store/postgres/migration/installation.js';
import { listPendingFiles, migrate } from '#store/postgres/migration/migrate.js';
import { findDatabaseUrl } from './base/database.js';
import { addCommand, DRY_RUN } from './base/options.js';
import { print } from './base/output.js';
import { withProgress } from './base/progress.js';

export function addMigrate(program: Command): void {
  const purpose = 'Bring the database to the newest schema';
  const example = 'DATABASE_URL=postgres://… kasir migrate';
  addCommand(program, 'migrate', purpose, example)
    .option(...DRY_RUN)
    .action(async ({ dryRun = false, ...format }) => {
      const url = findDatabaseUrl();
      const applied = await withProgress((tell) =>
        dryRun ? listPendingFiles(url) : migrate(url, tell),
      ).catch(explainPooling);
      const effect = dryRun ? 'would apply' : 'applied';
      const text = applied.length === 0 ? 'up to date' : `${effect} ${applied.join()}`;
      print({ applied, dryRun }, format, text);
    });
}
