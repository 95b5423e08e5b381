#!/usr/bin/env bash
#
# Runs the suites of an older build on schemas that the present build has migrated
# (docs/decisions/07-schema-compatibility.md). The older build is by default the one before the newest migration. Needs
# the git history of the repository.
#
#   npm run test:long -- compatibility                       # suites of the whole service and of the family cloud
#   npm run test:long -- compatibility <commit> [<suite> …]  # another build, such as the deployed one, and other suites

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
root=$PWD

newest=$(git log -1 --format=%H --diff-filter=A -- 'apps/*/src/database/*.migration.ts' 2>/dev/null || true)
if ! base=$(git rev-parse --verify --quiet "${1:-${newest:-none}^}^{commit}"); then
  echo 'Skipped: this repository does not contain the commit before the newest migration (a shallow clone?).'
  exit 0
fi
shift || true
if ! git cat-file -e "$base:apps/userctx/src/database/0001-baseline.migration.ts" 2>/dev/null; then
  echo 'Skipped: builds before 1.0.0 do not work on schemas of 1.0.0. `npm run test:upgrade` tests the upgrade.'
  exit 0
fi
suites=("$@")
if [ $# -eq 0 ]; then
  # Suites of the main functions of each context, without suites that start services with other settings or measure
  # limits.
  suites=(
    'apps/mcdisk/test/e2e/(albums|batch-tasks|content-info|folders|recycle-bin|sharing|tus-upload|upload-download)(\.slow)?\.spec'
    'apps/standalone/test/e2e/(chat|child-rules-enforcement|cloud-sharing|families|fences|friends|locations)(\.slow)?\.spec'
    'apps/standalone/test/e2e/(message-kinds|remote-control|sos|watch-settings)(\.slow)?\.spec'
  )
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
# As root, the test database runs as another user, who must have access to the directory.
chmod 755 "$copy"
git archive "$base" | tar -x -C "$copy"
printf 'Older build: %s\nMigrations that the older build does not know:\n' "$(git log -1 --format='%h %s' "$base")"
comm -13 <(cd "$copy" && ls apps/*/src/database/*.migration.ts) <(ls apps/*/src/database/*.migration.ts)

npx turbo run build --output-logs=errors-only
(
  cd "$copy"
  npm ci --prefer-offline --no-audit --no-fund --loglevel=error
  # The present build migrates every database of the suites before the older build migrates it.
  cd packages/platform/src/database
  mv migrate.ts migrate-own.ts
  cat >migrate.ts <<TS
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { migrateAppDatabase as migrateOwn } from './migrate-own.js';
import type { MigrationOptions } from './migrate-own.js';
export * from './migrate-own.js';

export async function migrateAppDatabase(options: MigrationOptions): Promise<string[]> {
  const program = \`$root/apps/\${options.name}/dist/migrate.js\`;
  if (existsSync(program)) {
    const env = { PATH: process.env.PATH, DATABASE_URL: options.url, MIGRATION_DATABASE_URL: options.migrationUrl };
    const { status, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(\`The present build cannot migrate \${options.schema}: \${stderr}\`);
  }
  return migrateOwn(options);
}
TS
)
cd "$copy"
# A build before the suites were divided runs all of them with `npm test`.
all=test
if grep -q '"test:all"' package.json; then all=test:all; fi
npm run "$all" --silent -- --ci "${suites[@]}"
