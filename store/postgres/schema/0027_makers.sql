-- The makers of API keys and of invitations, so that both can end with the person. The address of a maker is kept beside its id,
-- because a key outlives the user who made it.

-- null: an operator made it, or a version before this file, and the audit log does not tell who
alter table api_keys add column made_by text collate "C";
-- as it was then; an erasure of the user clears it
alter table api_keys add column made_by_email text;
-- null: the user registered the merchant, or nobody knows who invited it
alter table users add column invited_by text collate "C";

-- Rows of a user who acted in a session name it in the audit log.
update api_keys k
   set made_by = a.actor,
       made_by_email = coalesce(
         (select u.email from users u where u.id = a.actor),
         (select r.personal::jsonb -> 'before' ->> 'email' from audit_log r
           where r.target = a.actor and r.action = 'users.delete' and r.personal is not null limit 1))
  from audit_log a
 where a.action = 'api_keys.insert' and a.target = k.id and a.actor like 'usr\_%';
update users u set invited_by = a.actor
  from audit_log a
 where a.action = 'users.insert' and a.target = u.id and a.actor like 'usr\_%' and a.actor <> u.id;
