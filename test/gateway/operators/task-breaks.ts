// Ways to break the books of a task that was resolved by `credit` to `merchantId`. Each is undone by its second
// statement.
export const breaksOf = (
  task: string,
  { merchantId, other }: { readonly merchantId: string; readonly other: string },
): readonly (readonly [name: string, statement: string, undo: string])[] => [
  [
    'a posting too many',
    `insert into postings select cause_kind, cause_id, 3, index, debit, credit, amount, currency, reason, at
       from postings where cause_id = '${task}'`,
    `delete from postings where cause_id = '${task}' and version = 3`,
  ],
  [
    'a posting of less',
    `update postings set amount = amount - 1 where cause_id = '${task}'`,
    `update postings set amount = amount + 1 where cause_id = '${task}'`,
  ],
  [
    'a posting of another task',
    `update postings set cause_id = 'task_x' where cause_id = '${task}'`,
    `update postings set cause_id = '${task}' where cause_id = 'task_x'`,
  ],
  [
    'another merchant',
    `update operator_tasks set target_merchant = '${other}' where id = '${task}'`,
    `update operator_tasks set target_merchant = '${merchantId}' where id = '${task}'`,
  ],
  [
    'another way',
    `update operator_tasks set action = 'acknowledge' where id = '${task}'`,
    `update operator_tasks set action = 'credit' where id = '${task}'`,
  ],
  [
    'closed by nobody',
    `update operator_tasks set action = null where id = '${task}'`,
    `update operator_tasks set action = 'credit' where id = '${task}'`,
  ],
  [
    'open again',
    `update operator_tasks set action = null, status = 'open' where id = '${task}'`,
    `update operator_tasks set action = 'credit', status = 'resolved' where id = '${task}'`,
  ],
];
