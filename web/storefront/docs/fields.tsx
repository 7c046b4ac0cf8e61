import { useTranslation } from '../../state/i18n.ts'
import styles from './call-details.module.css'
import { Inline } from './inline.tsx'
import type { SchemaRow } from './schema.ts'

/** The fields of a request or an answer. */
export function Fields({ rows }: { rows: readonly SchemaRow[] }) {
  const { t } = useTranslation('docs')
  return (
    <dl className={styles.fields}>
      {rows.map((row) => (
        <div key={row.path}>
          <dt>
            {row.path !== '' && (
              <code translate="no" className={styles.field}>
                {row.path}
              </code>
            )}{' '}
            <span className={styles.type}>{row.type}</span>
            {row.required && row.path !== '' && <span className={styles.required}>{t('call.required')}</span>}
          </dt>
          {hasNotes(row) && (
            <dd>
              <Notes row={row} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

const hasNotes = ({ description, values, bounds }: SchemaRow) =>
  description !== undefined || values.length > 0 || Object.keys(bounds).length > 0

/** More values than this are cut: a list of all countries helps nobody. */
const mostValues = 12

function Notes({ row: { description, values, bounds } }: { row: SchemaRow }) {
  const { t } = useTranslation('docs')
  const { least, most, characters, items } = bounds
  const notes = [
    ...(least === undefined ? [] : [t('call.from', { least })]),
    ...(most === undefined ? [] : [t('call.upTo', { most })]),
    ...(characters === undefined ? [] : [t('call.characters', { most: characters })]),
    ...(items === undefined ? [] : [t('call.items', { most: items })]),
  ]
  const shown = values.slice(0, mostValues)
  return (
    <>
      {description !== undefined && <Inline text={description} />}
      {shown.length > 0 && (
        <span className={styles.values}>
          {shown.map((value) => (
            <code translate="no" key={value}>
              {value}
            </code>
          ))}
          {values.length > shown.length && <span>{'…'}</span>}
        </span>
      )}
      {notes.length > 0 && <span>{notes.join(', ')}</span>}
    </>
  )
}
