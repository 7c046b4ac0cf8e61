import type { Pool } from '#contract/wire'
import { useOptionalRead } from '../../state/reads/optional-read.ts'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { Card } from '../../ui/card.tsx'
import { CodeTabs } from '../../ui/code/code-tabs.tsx'
import { splitLines } from '../panel/lines.ts'
import { curlSample, maskedCurl, sampleRequest } from '../samples/samples.ts'
import styles from './how-to-prove.module.css'

const format = 'login:password@hostname:port'

/** The purpose of a proof, and the command that makes one. */
export function HowToProve({ pool }: { pool: Pool }) {
  const { t } = useTranslation(['userPanel', 'userBtns'])
  const wish = {
    pool,
    format,
    protocol: 'http',
    type: 'rotating',
    anonymous: 'true',
    quantity: 1,
    sessionttl: 0,
  } as const
  const data = useOptionalRead({ ...query('get_proxy', wish), staleTime: Infinity })
  const target = `${window.location.origin}/api/echo?format=text`
  const request = sampleRequest(splitLines(data ?? '')[0] ?? '', format, 'http', target)
  return (
    <Card as="section" className={styles.proof} aria-labelledby="whitelist-proof">
      <h2 id="whitelist-proof" className={styles.heading}>
        {t('whitelist.proveTitle')}
      </h2>
      <p>{t('whitelist.proveText')}</p>
      {request !== null && (
        <>
          <p>{t('whitelist.proveConnect')}</p>
          <CodeTabs
            label={t('samples.language')}
            tabs={[{ key: 'curl', name: 'curl', code: curlSample(request), shown: maskedCurl(request) }]}
            labels={{
              copy: t('samples.copy'),
              copied: t('userBtns:copy.done'),
              copyFailed: t('userBtns:copy.failed'),
            }}
          />
        </>
      )}
      <p>{t('whitelist.proveOpen')}</p>
      <p>{t('whitelist.proveShared')}</p>
    </Card>
  )
}
