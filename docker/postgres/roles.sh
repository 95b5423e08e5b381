#!/bin/sh
# The Postgres image runs this once on an empty volume. Creates for each app an owner, which may create its schema, and
# a runtime role, which only reads and writes rows (the migration grants these privileges). Passwords come from the
# environment.
set -eu

for app in userctx mcdisk gateway; do
  name=$(echo "$app" | tr '[:lower:]' '[:upper:]')
  eval "owner_password=\$${name}_OWNER_PASSWORD app_password=\$${name}_PASSWORD"
  # psql quotes its variables, and the passwords do not appear in process lists.
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
