import { Fragment } from 'react'
import { useTranslation } from '../../app/i18n.ts'
import { CountField } from '../../ui/count-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './connection-rows.module.css'
import { Row, Section } from './rows.tsx'
import { countFromText, maxCount, protocols, sessionTypes, type Settings } from './settings.ts'

interface RowsProps {
  settings: Settings
  onChange: (settings: Settings) => void
}

const protocolNames = { http: 'HTTP', https: 'HTTPS', socks5: 'SOCKS5' } as const

/** How to connect: protocol, session, rotation, anonymity. */
export function ConnectionRows({ settings, onChange }: RowsProps) {
  const { t } = useTranslation('userPanel')
  const sticky = settings.session_type === 'sticky'
  return (
    <Section title={t('connection.title')}>
      <Row label={t('connection.protocol')}>
        <Segmented
          label={t('connection.protocol')}
          value={settings.protocol}
          options={protocols.map((value) => ({ value, label: protocolNames[value] }))}
          onChange={(protocol) => onChange({ ...settings, protocol })}
        />
      </Row>
      <Row
        label={t('connection.session')}
        hint={t(sticky ? 'connection.stickyHint' : 'connection.rotatingHint')}
      >
        <Segmented
          label={t('connection.session')}
          value={settings.session_type}
          options={sessionTypes.map((value) => ({ value, label: t(`connection.${value}`) }))}
          onChange={(session_type) => onChange({ ...settings, session_type })}
        />
      </Row>
      <Row label={t('connection.interval')}>
        <CountField
          label={t('connection.interval')}
          labelHidden
          value={settings.interval}
          max={maxCount}
          parse={countFromText}
          unit={t('connection.minutes')}
          hint={t(sticky ? 'connection.stickyDefault' : 'connection.rotatingDefault')}
          className={styles.count}
          onChange={(interval) => onChange({ ...settings, interval })}
        />
      </Row>
      <Row label={t('connection.anon')} hint={t('connection.anonHint')}>
        <Segmented
          label={t('connection.anon')}
          value={settings.anon ? 'on' : 'off'}
          options={[
            { value: 'on', label: t('connection.anonOn') },
            { value: 'off', label: t('connection.anonOff') },
          ]}
          onChange={(value) => onChange({ ...settings, anon: value === 'on' })}
        />
      </Row>
    </Section>
  )
}

/** What comes out: the shape of a line, and how many. */
export function OutputRows({ settings, onChange, onFormat }: RowsProps & { onFormat: () => void }) {
  const { t } = useTranslation('userPanel')
  const bare = settings.access_format === 'hostname:port'
  return (
    <Section title={t('output.title')}>
      <Row label={t('output.format')} hint={bare ? t('output.formatNoPassword') : undefined}>
        <button type="button" className={styles.format} onClick={onFormat}>
          <span className="sr-only">{t('output.format')}: </span>
          <span className="mono">
            {settings.access_format.split(/(?<=[:@])/).map((part) => (
              // Where it does not fit, it is parted between its parts.
              <Fragment key={part}>
                {part}
                <wbr />
              </Fragment>
            ))}
          </span>
          <span className={styles.act}>{t('place.change')}</span>
        </button>
      </Row>
      <Row label={t('output.quantity')}>
        <CountField
          label={t('output.quantity')}
          labelHidden
          value={settings.proxy_amount}
          max={maxCount}
          parse={countFromText}
          placeholder="1"
          hint={t('output.quantityHint')}
          className={styles.count}
          onChange={(proxy_amount) => onChange({ ...settings, proxy_amount })}
        />
      </Row>
    </Section>
  )
}
