/** What a database holds, for `copyDatabase`: tables with their columns, partitions, sequences, foreign keys. */
import type pg from 'pg'
import { markTable } from './mark.ts'

/** The schemas of the shop: its own tables, and those of graphile-worker's jobs. */
const schemas = ['public', 'graphile_worker']

export interface CopiedTable {
  /** Quoted and with its schema. */
  name: string
  /** Quoted; without generated columns, which the target computes. */
  columns: string[]
  isPartitioned: boolean
}

const ofShop = (alias: string) =>
  `${alias}.relnamespace in (select oid from pg_namespace where nspname = any($1))
   and not exists (select from pg_depend d where d.objid = ${alias}.oid and d.deptype = 'e')
   and ${alias}.relname <> '${markTable}'`

/** The tables in the order of their names; a partitioned table is one entry. */
export async function tablesOf(client: pg.ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(
    `select format('%I.%I', n.nspname, c.relname) as name, c.relkind = 'p' as "isPartitioned",
       coalesce((select array_agg(quote_ident(a.attname) order by a.attname) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '{}') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and ${ofShop('c')}
     order by 1`,
    [schemas],
  )
  return rows
}

interface Partition {
  /** Unquoted names. */
  name: string
  parent: string
  bound: string
  /** The first day of the month, for partitions that `make_month_partition` makes; else null. */
  month: string | null
}

export async function partitionsOf(client: pg.ClientBase): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
       case when to_regclass(quote_ident(p.relname || '_rest')) is not null
         then replace(substring(c.relname from '_([0-9]{4}_[0-9]{2})$'), '_', '-') || '-01' end as month
     from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
     where c.relispartition and c.relkind in ('r', 'p') and ${ofShop('c')} order by 1`,
    [schemas],
  )
  return rows
}

export async function sequencesOf(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'S' and ${ofShop('c')} order by 1`,
    [schemas],
  )
  return rows.map(({ name }) => name)
}

/** Statements that drop the foreign keys, and those that create them again, which checks every row. */
export async function foreignKeysOf(client: pg.ClientBase): Promise<{ drop: string[]; add: string[] }> {
  const { rows } = await client.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as drop,
       format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as add
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where k.contype = 'f' and k.conparentid = 0 and ${ofShop('c')} order by k.conrelid::regclass::text, k.conname`,
    [schemas],
  )
  return { drop: rows.map(({ drop }) => drop), add: rows.map(({ add }) => add) }
}

/**
 * Statements that switch the shop's own triggers off, and those that restore each as it was. Unlike
 * `session_replication_role` this needs no superuser, which few hosted databases give.
 */
export async function triggersOf(client: pg.ClientBase): Promise<{ off: string[]; on: string[] }> {
  const { rows } = await client.query<{ off: string; on: string }>(
    `select format('alter table %s disable trigger %I', t.tgrelid::regclass, t.tgname) as off,
       format('alter table %s %s trigger %I', t.tgrelid::regclass,
         case t.tgenabled when 'A' then 'enable always' when 'R' then 'enable replica' else 'enable' end,
         t.tgname) as on
     from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and t.tgenabled <> 'D' and ${ofShop('c')}
     -- Switching one of a partitioned table switches those of its partitions too.
     order by c.relispartition, t.tgrelid::regclass::text, t.tgname`,
    [schemas],
  )
  return { off: rows.map(({ off }) => off), on: rows.map(({ on }) => on) }
}

/** Whether the shop's schemas contain no tables, views or sequences. */
export async function isEmptyDatabase(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ tables: bigint | string }>(
    `select count(*) as tables from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'S') and ${ofShop('c')}`,
    [schemas],
  )
  return Number(rows[0]?.tables ?? 0) === 0
}

/** Removes the tables, functions and sequences of an unfinished copy. */
export async function dropTables(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query('drop schema if exists graphile_worker cascade')
  await client.query(`do $$ declare one record; begin
    for one in select c.oid::regclass as name from pg_class c where c.relkind in ('r', 'p')
        and not c.relispartition and c.relnamespace = 'public'::regnamespace and c.relname <> '${markTable}'
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') loop
      execute format('drop table %s cascade', one.name);
    end loop;
    for one in select p.oid::regprocedure as name, p.prokind from pg_proc p
        where p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') loop
      execute format('drop routine if exists %s cascade', one.name);
    end loop;
    for one in select c.oid::regclass as name from pg_class c where c.relkind = 'S'
        and c.relnamespace = 'public'::regnamespace loop
      execute format('drop sequence if exists %s cascade', one.name);
    end loop;
  end $$`)
}
