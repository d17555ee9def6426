// An operator task, and its place in the cache.
import type { AdministratorSchema } from '@dashboard/shared/api/client.js';

export type Task = AdministratorSchema['OperatorTask'];

export const buildTaskKey = (taskId: string) => ['admin', 'task', taskId];
