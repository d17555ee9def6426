// Errors as Postgres and its driver report them.
import postgres from 'postgres';

export function buildSqlError(code: string, message: string, tableName = ''): Error {
  const fields = { code, message, table_name: tableName, name: 'PostgresError' };
  const error = Object.create(postgres.PostgresError.prototype) as Error;
  return Object.assign(error, fields);
}

/** The driver's errors of a connection are not Postgres'. */
export function buildConnectionError(code: 'CONNECTION_CLOSED' | 'ECONNREFUSED'): Error {
  return Object.assign(new Error(`write ${code} postgres:5432`), { code });
}
