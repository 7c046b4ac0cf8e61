import { useTranslation } from '../../app/i18n.ts'
import { CodeTabs } from '../../ui/code-tabs.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { Result } from './generate.ts'
import { curlSample, nodeSample, pythonSample, wayThrough } from './samples.ts'
import styles from './try-it.module.css'

/** The first line put to use: in a terminal, in a program, in a browser. */
export function TryIt({ result }: { result: Result }) {
  const { t } = useTranslation('userPanel')
  const { lines, format, protocol } = result
  const way = wayThrough(lines[0] ?? '', format, protocol, `${window.location.origin}/api/echo`)
  if (way === null) return null
  const isSocks = protocol === 'socks5'
  return (
    <section className={styles.sample}>
      <h3 className={styles.heading}>{t('result.tryIt')}</h3>
      <p className={styles.explain}>{t('result.tryItText')}</p>
      <CodeTabs
        label={t('samples.language')}
        tabs={[
          { key: 'curl', name: 'curl', code: curlSample(way) },
          {
            key: 'python',
            name: 'Python',
            code: pythonSample(way),
            note: t(isSocks ? 'samples.pythonSocksNote' : 'samples.pythonNote'),
          },
          { key: 'node', name: 'Node.js', code: nodeSample(way), note: t('samples.nodeNote') },
        ]}
        others={[
          {
            key: 'browser',
            name: t('samples.browser'),
            content: <BrowserSetup endpoint={way.endpoint} isSocks={isSocks} />,
          },
        ]}
        words={{ copy: t('samples.copy'), copied: t('copy.done'), copyFailed: t('copy.failed') }}
      />
    </section>
  )
}

type Endpoint = NonNullable<ReturnType<typeof wayThrough>>['endpoint']

/** What to type where in a browser's settings. */
function BrowserSetup({ endpoint, isSocks }: { endpoint: Endpoint; isSocks: boolean }) {
  const { t } = useTranslation('userPanel')
  const { host, port, credentials } = endpoint
  const fields: [name: string, value: string][] = [
    [t('samples.type'), isSocks ? 'SOCKS5' : 'HTTP'],
    [t('samples.host'), host],
    [t('samples.port'), port],
    ...(credentials === null
      ? []
      : ([
          [t('samples.login'), credentials.login],
          [t('samples.password'), credentials.password],
        ] satisfies [string, string][])),
  ]
  return (
    <div className={styles.browser}>
      <ol className={styles.steps}>
        <li>{t('samples.browserFirefox')}</li>
        <li>{t('samples.browserChrome')}</li>
        <li>{t(credentials === null ? 'samples.browserWhitelist' : 'samples.browserAsk')}</li>
      </ol>
      {isSocks && credentials !== null && <p className={styles.warning}>{t('samples.browserSocks')}</p>}
      <dl className={styles.fields}>
        {fields.map(([name, value]) => (
          <div key={name} className={styles.field}>
            <dt>{name}</dt>
            <dd className="mono">{value}</dd>
            <dd>
              <CopyButton
                iconOnly
                text={value}
                label={t('samples.copyField', { name })}
                copiedLabel={t('copy.done')}
                failedLabel={t('copy.failed')}
              />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
