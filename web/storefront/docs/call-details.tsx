import { Link } from 'react-router'
import { useOptionalRead, useOptionalReadAt } from '../../state/reads/optional-read.ts'
import { useTranslation } from '../../state/i18n.ts'
import { query } from '../../state/reads/queries.ts'
import { useSession } from '../../state/session.ts'
import { apiTokenQuery, maskedToken } from '../../state/token/api-token.ts'
import { view } from '../../state/view.ts'
import { CodeTabs } from '../../ui/code/code-tabs.tsx'
import styles from './call-details.module.css'
import type { Operation, Parameter } from './document.ts'
import { Fields } from './fields.tsx'
import { Code } from './guide-section.tsx'
import { Inline } from './inline.tsx'
import { type Schema, schemaRows } from './schema.ts'
import { takesToken, withToken } from './samples.ts'
import { exampleWith, sampleWith } from './sold-samples.ts'
import { useSitePools } from '../../state/places/sold-pools.ts'

interface CallDetailsProps {
  operation: Operation
  parameters: Readonly<Record<string, Parameter>>
}

/** The description of a call: its fields, its answer, its refusals, and programs that make it. */
export function CallDetails({ operation, parameters }: CallDetailsProps) {
  const { t } = useTranslation('docs')
  const all = operation.parameters.map((one) =>
    '$ref' in one ? parameters[one.$ref.split('/').at(-1) ?? ''] : one,
  )
  const own = all.filter((one) => one !== undefined)
  return (
    <div className={styles.columns}>
      <div className={styles.texts}>
        {operation.description !== undefined && (
          <p>
            <Inline text={operation.description} />
          </p>
        )}
        <p className={styles.access}>{t(`call.${accessOf(operation)}`)}</p>
        <h3 className={styles.heading}>{t('call.fields')}</h3>
        <RequestFields operation={operation} parameters={own.filter(({ in: place }) => place !== 'header')} />
        <h3 className={styles.heading}>{t('call.headers')}</h3>
        <Fields rows={own.filter(({ in: place }) => place === 'header').flatMap(rowsOf)} />
        <h3 className={styles.heading}>{t('call.answer')}</h3>
        <Answer operation={operation} />
        <h3 className={styles.heading}>{t('call.refusals')}</h3>
        <Refusals operation={operation} />
      </div>
      <div className={styles.programs}>
        <Samples samples={operation['x-codeSamples']} />
        <ExampleAnswer operation={operation} />
      </div>
    </div>
  )
}

function accessOf({ security }: Operation): 'anyone' | 'either' | 'token' | 'session' {
  if (security.length === 0) return 'anyone'
  if (security.some((scheme) => Object.keys(scheme).length === 0)) return 'either'
  return security.some((scheme) => 'apiToken' in scheme) ? 'token' : 'session'
}

const rowsOf = ({ name, required = false, schema = {}, description }: Parameter) =>
  schemaRows({ type: 'object', properties: { [name]: schema }, required: required ? [name] : [] }).map(
    (row) => ({
      ...row,
      description: row.description ?? description,
    }),
  )

function RequestFields({
  operation,
  parameters,
}: {
  operation: Operation
  parameters: readonly Parameter[]
}) {
  const { t } = useTranslation('docs')
  const schema: Schema = operation.requestBody?.content['application/json']?.schema ?? {}
  const fields = schemaRows(schema).filter(({ path }) => path !== '')
  const rows = [...parameters.flatMap(rowsOf), ...fields]
  return rows.length === 0 ? <p>{t('call.noFields')}</p> : <Fields rows={rows} />
}

function Answer({ operation }: { operation: Operation }) {
  const { t } = useTranslation('docs')
  const content = operation.responses['200']?.content ?? {}
  const json = content['application/json']
  const isText = 'text/plain' in content
  if (json?.schema === undefined) return <p>{t(isText ? 'call.text' : 'call.file')}</p>
  return (
    <>
      {isText && <p>{t('call.textOrJson')}</p>}
      <Fields rows={schemaRows(json.schema)} />
    </>
  )
}

/** The refusals of this call, each with its sentence. */
function Refusals({ operation }: { operation: Operation }) {
  const { t } = useTranslation('docs')
  const own = new Set(operation['x-refusals'])
  const refusals = Object.entries(operation.responses).flatMap(([status, { content }]) =>
    Object.entries(content?.['application/json']?.examples ?? {})
      .filter(([code]) => own.has(code))
      .map(([code, { value }]) => ({ status, code, message: value.message })),
  )
  return (
    <>
      {refusals.length > 0 && (
        <dl className={styles.refusals}>
          {refusals.map(({ status, code, message }) => (
            <div key={code}>
              <dt>
                <code translate="no">{`${status} ${code}`}</code>
              </dt>
              <dd>{message}</dd>
            </div>
          ))}
        </dl>
      )}
      <p>
        <Link to={{ hash: 'errors' }}>{t('call.shared')}</Link>
      </p>
    </>
  )
}

/**
 * Programs that make the call, with the API token of the signed-in customer: hidden on the screen, copied in
 * full.
 */
function Samples({ samples: written }: { samples: Operation['x-codeSamples'] }) {
  const { t } = useTranslation('docs')
  const { sold } = useSitePools()
  const samples = written.map(({ label, source }) => ({ label, source: sampleWith(sold, source) }))
  const signedIn = useSession() !== null && view === null
  const takes = samples.some(({ source }) => takesToken(source))
  const { data: state, readAtMs } = useOptionalReadAt({
    ...query('security', {}),
    enabled: signedIn && takes,
  })
  // Reading the token creates a missing one and requires a recent proof of ownership. So the page reads it
  // only if it exists and the proof is still valid.
  const isReadable = state?.api_token != null && Date.parse(state.proven_until ?? '') > readAtMs
  const token = useOptionalRead({ ...apiTokenQuery, enabled: signedIn && takes && isReadable })
  const filled = signedIn && takes ? (token ?? null) : null
  return (
    <div className={styles.samples}>
      <CodeTabs
        label={t('call.samples')}
        tabs={samples.map(({ label, source }) => ({
          key: label,
          name: label,
          code: withToken(source, filled),
          shown: withToken(source, filled === null ? null : maskedToken(filled)),
        }))}
        labels={{ copy: t('copy.code'), copied: t('copy.done'), copyFailed: t('copy.failed') }}
      />
      {takes && view === null && (
        <p className={styles.tokenNote}>
          {filled !== null ? (
            t('token.yours')
          ) : signedIn ? (
            t(state?.api_token == null ? 'token.none' : 'token.locked')
          ) : (
            <Link to="/login">{t('token.signIn')}</Link>
          )}
        </p>
      )}
    </div>
  )
}

function ExampleAnswer({ operation }: { operation: Operation }) {
  const { t } = useTranslation('docs')
  const { sold } = useSitePools()
  const content = operation.responses['200']?.content ?? {}
  const [example] = Object.values(content).map((one) => exampleWith(sold, one.example))
  if (example === undefined || example === null) return null
  const code = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return (
    <div className={styles.example}>
      <h3 className={styles.heading}>{t('call.exampleAnswer')}</h3>
      <Code name={t('call.exampleAnswer')} code={code} />
    </div>
  )
}
