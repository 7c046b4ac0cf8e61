import type { ProxyEndpoint } from '#contract/proxy-lines'
import { useTranslation } from '../../state/i18n.ts'
import { CodeTabs } from '../../ui/code/code-tabs.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { Result } from './use-generate.ts'
import { curlSample, nodeSample, pythonSample, sampleRequest } from './samples.ts'
import styles from './try-it.module.css'

/** Samples that use the first line: in a terminal, in a program, in a browser. */
export function TryIt({ result }: { result: Result }) {
  const { t } = useTranslation('userPanel')
  const { lines, settings } = result
  const { access_format: format, protocol } = settings
  const request = sampleRequest(lines[0] ?? '', format, protocol, `${window.location.origin}/api/echo`)
  if (request === null) return null
  const isSocks = protocol === 'socks5'
  return (
    <section className={styles.sample}>
      <h3 className={styles.heading}>{t('result.tryIt')}</h3>
      <p className={styles.explanation}>{t('result.tryItText')}</p>
      <CodeTabs
        label={t('samples.language')}
        tabs={[
          { key: 'curl', name: 'curl', code: curlSample(request) },
          {
            key: 'python',
            name: 'Python',
            code: pythonSample(request),
            note: t(isSocks ? 'samples.pythonSocksNote' : 'samples.pythonNote'),
          },
          { key: 'node', name: 'Node.js', code: nodeSample(request), note: t('samples.nodeNote') },
        ]}
        others={[
          {
            key: 'browser',
            name: t('samples.browser'),
            content: <BrowserSetup endpoint={request.endpoint} isSocks={isSocks} />,
          },
        ]}
        labels={{ copy: t('samples.copy'), copied: t('copy.done'), copyFailed: t('copy.failed') }}
      />
    </section>
  )
}

/** The values to enter in the proxy settings of a browser. */
function BrowserSetup({ endpoint, isSocks }: { endpoint: ProxyEndpoint; isSocks: boolean }) {
  const { t } = useTranslation('userPanel')
  const { hostname, port, credentials } = endpoint
  const fields: [name: string, value: string][] = [
    [t('samples.type'), isSocks ? 'SOCKS5' : 'HTTP'],
    [t('samples.host'), hostname],
    [t('samples.port'), String(port)],
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
