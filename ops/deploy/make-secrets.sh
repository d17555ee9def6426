#!/bin/sh
# Makes the secrets of a new installation, each in a file of its own that has the name of its variable:
#   <folder>/gateway, payments, rails, webhooks   what each kind of process gets
#   <folder>/migration, reading                   the address of Postgres for this role
#   <folder>/servers                              users.acl of Redis, passwords.sql for the roles of Postgres, and the passwords of
#                                                 Postgres' superuser and of Grafana's administrator, for servers that are new too
# The addresses have no user and no password:
#   make-secrets.sh <folder> postgres://db.example:5432/kasir?sslmode=verify-full rediss://redis.example:6379
# Others cannot enter the folder. The files in it can be read by all, since the accounts in containers differ from those outside.
set -eu
folder=$1 postgres=$2 redis=$3
kinds='gateway payments rails webhooks'

# ID_KEY must never change, so that nothing is overwritten.
mkdir -m 700 "$folder"
umask 022
for name in $kinds migration reading servers; do mkdir "$folder/$name"; done

make() { openssl rand -hex 32; }
# Writes the value $1 to the file $2 of each kind that follows.
give() {
  value=$1 name=$2
  shift 2
  for kind in "$@"; do printf '%s\n' "$value" > "$folder/$kind/$name"; done
}
# Puts a user and a password into the address $3.
address() { printf '%s://%s:%s@%s' "${3%%://*}" "$1" "$2" "${3#*://}"; }
hash() { printf %s "$1" | sha256sum | cut -d ' ' -f 1; }

give "$(make)" ID_KEY $kinds
give "$(make)" SECRETS_KEY $kinds
give "$(make)" COMMAND_KEY_GATEWAY gateway payments
give "$(make)" COMMAND_KEY_RAILS rails payments
give "$(make)" COMMAND_KEY_WEBHOOKS webhooks payments

give "$(make)" POSTGRES_PASSWORD servers
give "$(make)" GRAFANA_PASSWORD servers
for role in migration process reading; do
  password=$(make)
  echo "alter role kasir_$role password '$password';" >> "$folder/servers/passwords.sql"
  case $role in
    process) holders=$kinds ;;
    *) holders=$role ;;
  esac
  give "$(address "kasir_$role" "$password" "$postgres")" DATABASE_URL $holders
done

# As docs/operations/roles.md makes the file of the users.
operator=$(make)
give "$(address default "$operator" "$redis")" OPERATOR_URL servers
edits="s/#OPERATOR/#$(hash "$operator")/"
for kind in $kinds; do
  password=$(make)
  give "$(address "kasir-$kind" "$password" "$redis")" REDIS_URL "$kind"
  edits="$edits;s/#$(echo "$kind" | tr '[:lower:]' '[:upper:]')/#$(hash "$password")/"
done
sed -e '/^#/d' -e "$edits" "$(dirname "$0")/redis-users.acl" > "$folder/servers/users.acl"
