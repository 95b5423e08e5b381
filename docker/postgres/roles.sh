#!/bin/sh
# Run once, by Postgres's image, on an empty volume: for each app an owner, who may make its schema, and a role that
# only reads and writes rows (the migration gives it those rights). Passwords come from the environment.
set -eu

for app in userctx mcdisk gateway; do
  name=$(echo "$app" | tr '[:lower:]' '[:upper:]')
  eval "owner_password=\$${name}_OWNER_PASSWORD app_password=\$${name}_PASSWORD"
  # As variables of psql the passwords are quoted by it, and stand in no list of processes.
  export owner_password app_password
  psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --set=app="$app" --set=owner="${app}_owner" \
    --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\getenv owner_password owner_password
\getenv app_password app_password
\set database :DBNAME
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE ROLE :"app" LOGIN PASSWORD :'app_password';
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CONNECT, CREATE ON DATABASE :"database" TO :"owner";
GRANT CONNECT ON DATABASE :"database" TO :"app";
SQL
done
