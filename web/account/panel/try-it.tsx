import { Suspense, useState } from 'react'
import type { ProxyEndpoint } from '#contract/proxy-lines'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import { CodeTabs } from '../../ui/code/code-tabs.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { proxyUrl, sampleRequest, type SampleRequest } from '../samples/samples.ts'
import { type Tool, toolNames, tools } from '../samples/tools.ts'
import type { Result } from './use-generate.ts'
import styles from './try-it.module.css'

const QrCode = lazyPart(async () => (await import('../../ui/factors/qr-code.tsx')).QrCode)

type Way = Tool | 'browser' | 'phone'

/** Samples that use the first line: in a terminal, in a program, in a browser, on a phone. */
export function TryIt({ result }: { result: Result }) {
  const { t } = useTranslation(['userPanel', 'generator'])
  const [way, setWay] = useState<Way>('curl')
  const { lines, settings } = result
  const { access_format: format, protocol } = settings
  const request = sampleRequest(lines[0] ?? '', format, protocol, `${window.location.origin}/api/echo`)
  if (request === null) return null
  const options: { value: Way; label: string }[] = [
    ...toolNames.map((value) => ({ value, label: tools[value].name })),
    { value: 'browser', label: t('samples.browser') },
    { value: 'phone', label: t('generator:phone.name') },
  ]
  return (
    <section className={styles.sample}>
      <h3 className={styles.heading}>{t('result.tryIt')}</h3>
      <p className={styles.explanation}>{t('result.tryItText')}</p>
      <SelectField label={t('generator:tool')} value={way} options={options} onChange={setWay} />
      {way === 'browser' ? (
        <BrowserSetup endpoint={request.endpoint} isSocks={protocol === 'socks5'} />
      ) : way === 'phone' ? (
        <PhoneSetup request={request} />
      ) : (
        <ToolSample tool={way} request={request} />
      )}
    </section>
  )
}

function ToolSample({ tool, request }: { tool: Tool; request: SampleRequest }) {
  const { t } = useTranslation(['userPanel', 'generator', 'userBtns'])
  const { name, sample } = tools[tool]
  const code = sample(request)
  if (code === null)
    return (
      <p className={styles.warning}>
        {t(tool === 'selenium' ? 'generator:cannotPassword' : 'generator:cannotSocks')}
      </p>
    )
  const note =
    tool === 'curl' || tool === 'go' || tool === 'php'
      ? {}
      : tool === 'requests'
        ? {
            note: t(
              request.protocol === 'socks5' ? 'generator:samples.pythonSocksNote' : 'samples.pythonNote',
            ),
          }
        : tool === 'undici'
          ? { note: t('generator:samples.nodeNote') }
          : { note: t(`generator:needs.${tool}`) }
  return (
    <CodeTabs
      key={tool}
      label={t('samples.language')}
      tabs={[{ key: tool, name, code, ...note }]}
      labels={{
        copy: t('samples.copy'),
        copied: t('userBtns:copy.done'),
        copyFailed: t('userBtns:copy.failed'),
      }}
    />
  )
}

/** Steps for the Wi-Fi settings of phones, and the line as a QR code for apps that read one. */
function PhoneSetup({ request }: { request: SampleRequest }) {
  const { t } = useTranslation('generator')
  return (
    <div className={styles.browser}>
      <ol className={styles.steps}>
        <li>{t('phone.android')}</li>
        <li>{t('phone.ios')}</li>
      </ol>
      {request.protocol === 'socks5' && <p className={styles.warning}>{t('phone.socks')}</p>}
      <Fields endpoint={request.endpoint} isSocks={request.protocol === 'socks5'} />
      <figure className={styles.qr}>
        <Suspense fallback={null}>
          <QrCode text={proxyUrl(request, 'socks5')} label={t('phone.qr')} />
        </Suspense>
        <figcaption>{t('phone.qrText')}</figcaption>
      </figure>
    </div>
  )
}

/** How to configure the proxy in browsers, with the values to enter. */
function BrowserSetup({ endpoint, isSocks }: { endpoint: ProxyEndpoint; isSocks: boolean }) {
  const { t } = useTranslation(['userPanel', 'generator'])
  const { credentials } = endpoint
  return (
    <div className={styles.browser}>
      <ol className={styles.steps}>
        <li>{t('generator:samples.browserFirefox')}</li>
        <li>{t('generator:samples.browserChrome')}</li>
        <li>{t('generator:browser.windows')}</li>
        <li>{t('generator:browser.macos')}</li>
        <li>
          {t(credentials === null ? 'generator:samples.browserWhitelist' : 'generator:samples.browserAsk')}
        </li>
      </ol>
      {isSocks && credentials !== null && (
        <p className={styles.warning}>{t('generator:samples.browserSocks')}</p>
      )}
      <Fields endpoint={endpoint} isSocks={isSocks} />
    </div>
  )
}

function Fields({ endpoint, isSocks }: { endpoint: ProxyEndpoint; isSocks: boolean }) {
  const { t } = useTranslation(['userPanel', 'userBtns'])
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
    <dl className={styles.fields}>
      {fields.map(([name, value]) => (
        <div key={name} className={styles.field}>
          <dt>{name}</dt>
          <dd translate="no" className="mono">
            {value}
          </dd>
          <dd>
            <CopyButton
              iconOnly
              text={value}
              label={t('samples.copyField', { name })}
              copiedLabel={t('userBtns:copy.done')}
              failedLabel={t('userBtns:copy.failed')}
            />
          </dd>
        </div>
      ))}
    </dl>
  )
}
