import type { Client } from 'pg';

/** A column, constraint or index of a table, as the server describes it. */
export interface CatalogueEntry {
  readonly kind: 'column' | 'constraint' | 'index';
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Returns all columns, constraints and indexes of a schema. Two schemas with the same entries have the same tables,
 * except for triggers, storage parameters and partitions.
 */
export async function readCatalogue(client: Client, schema: string): Promise<CatalogueEntry[]> {
  const { rows } = await client.query<CatalogueEntry>(SELECT_CATALOGUE, [schema]);
  return rows;
}

/**
 * Returns one line for each trigger, function, table, view, sequence and default partition of a schema, with privileges
 * and storage parameters, and for its default privileges.
 */
export async function readObjects(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(SELECT_OBJECTS, [schema]);
  return rows.map(({ line }) => line);
}

const SELECT_OBJECTS = `
  SELECT concat_ws(' ', 'trigger', tgenabled, pg_get_triggerdef(pg_trigger.oid)) AS line
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
   WHERE relnamespace = $1::regnamespace AND NOT tgisinternal
   UNION ALL
  SELECT concat_ws(' ', pg_get_functiondef(oid), proacl::text) FROM pg_proc WHERE pronamespace = $1::regnamespace
   UNION ALL
  SELECT concat_ws(' ', 'relation', relkind, relname, reloptions::text, relacl::text, pg_get_expr(relpartbound, oid))
    FROM pg_class
   WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
     AND coalesce(pg_get_expr(relpartbound, oid), 'DEFAULT') = 'DEFAULT'
   UNION ALL
  SELECT 'index of the default partition ' || pg_get_indexdef(indexrelid)
    FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
   WHERE relnamespace = $1::regnamespace AND pg_get_expr(relpartbound, pg_class.oid) = 'DEFAULT'
   UNION ALL
  SELECT concat_ws(' ', 'privileges of the schema', nspacl::text) FROM pg_namespace WHERE oid = $1::regnamespace
   UNION ALL
  SELECT concat_ws(' ', 'default privileges', defaclobjtype, defaclacl::text)
    FROM pg_default_acl WHERE defaclnamespace = $1::regnamespace
   ORDER BY 1`;

/**
 * Selects the columns, constraints and indexes of a schema. The server reports `DEFAULT '0'` as `'0'::smallint` and
 * `DEFAULT 0` as `0`. Partitions have the columns of their table. The index of a key is described by its constraint,
 * and the not-null constraint of PostgreSQL 18 by its column.
 */
const SELECT_CATALOGUE = `
  WITH described AS (
    SELECT oid, relname FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
  )
  SELECT 'column' AS kind, relname AS table, attname AS name,
         concat_ws(' ', format_type(atttypid, atttypmod), 'collate ' || nullif(collname, 'default'),
                   CASE WHEN attnotnull THEN 'not null' END,
                   CASE WHEN attgenerated = '' THEN 'default ' ELSE 'generated ' END
                     || regexp_replace(pg_get_expr(adbin, adrelid), '^''(-?\\d+)''::\\w+$', '\\1'),
                   'identity ' || nullif(attidentity::text, '')) AS definition
    FROM pg_attribute JOIN described ON described.oid = attrelid
    LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   WHERE attnum > 0 AND NOT attisdropped
   UNION ALL
  SELECT 'constraint', relname, conname, pg_get_constraintdef(pg_constraint.oid)
    FROM pg_constraint JOIN described ON described.oid = conrelid WHERE contype IN ('p', 'u', 'f', 'c', 'x')
   UNION ALL
  SELECT 'index', described.relname, pg_class.relname, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
    FROM pg_index JOIN described ON described.oid = indrelid JOIN pg_class ON pg_class.oid = indexrelid
   WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
   ORDER BY 2, 1, 3`;
