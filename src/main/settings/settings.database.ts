/** The settings of the database. */
import { DatabaseUnavailable, parseServers } from '#db'
import { type Env, SettingFault, text } from './settings.env.ts'

export const readDatabaseUrl = (env: Env) => postgresUrl(env, 'DATABASE_URL')

export function readReplicaUrl(env: Env, databaseUrl: string | null): string | null {
  const value = postgresUrl(env, 'DATABASE_REPLICA_URL')
  if (value !== null && databaseUrl === null)
    throw new SettingFault('DATABASE_REPLICA_URL needs DATABASE_URL: the embedded database has no replicas.')
  return value
}

/**
 * The address of one PostgreSQL server or of several; a fault does not repeat it, because it contains a
 * password.
 */
function postgresUrl(env: Env, name: string): string | null {
  const value = text(env, name)
  if (value === null) return null
  try {
    parseServers(value, name)
    return value
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw new SettingFault(error.message)
    throw error
  }
}
