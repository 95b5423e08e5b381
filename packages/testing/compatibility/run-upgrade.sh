#!/usr/bin/env bash
#
# Starts an older build, lets it accept work, kills it, and starts the present build on its database and data directory.
# Needs the git history of the repository.
#
#   npm run test:long -- upgrade           # from the build before the newest migration
#   npm run test:long -- upgrade <commit>  # from another build, such as the deployed one

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

newest=$(git log -1 --format=%H --diff-filter=A -- 'apps/*/src/database/*.migration.ts' 2>/dev/null || true)
if ! base=$(git rev-parse --verify --quiet "${1:-${newest:-none}^}^{commit}"); then
  echo 'Skipped: this repository does not contain the commit before the newest migration (a shallow clone?).'
  exit 0
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git archive "$base" | tar -x -C "$copy"
printf 'Older build: %s\n' "$(git log -1 --format='%h %s' "$base")"
(
  cd "$copy"
  npm ci --prefer-offline --no-audit --no-fund --loglevel=error
  npx turbo run build --filter=@family-watch/standalone... --output-logs=errors-only
)
npx turbo run build --output-logs=errors-only
PREVIOUS_BUILD=$copy node node_modules/jest/bin/jest.js --testMatch '<rootDir>/apps/standalone/test/upgrade/*.upgrade.ts'
