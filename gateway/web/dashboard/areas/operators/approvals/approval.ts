// An approval, and its place in the cache.
import type { AdministratorSchema } from '@dashboard/shared/api/client.js';

export type Approval = AdministratorSchema['Approval'];

export const buildApprovalKey = (approvalId: string) => ['admin', 'approval', approvalId];
