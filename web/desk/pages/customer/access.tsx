import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { PoolIcon } from '../../../ui/graphics/pool-icon.tsx'
import { Badge } from '../../parts/badge.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import styles from './customer.module.css'
import { LimitsDialog, PaceDialog } from './limits-dialog.tsx'
import { Sessions, Team } from './sessions.tsx'
import { CustomerTopUps } from './topups.tsx'
import type { Customer } from './types.ts'

type Limits = DeskOutput<'customer_limits'>[number]

/** The limits and the listed addresses of each pool. */
export function Access({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskCustomer')
  const limits = useQuery(query('customer_limits', { id: customer.id }))
  const [changed, setChanged] = useState<Limits | null>(null)
  return (
    <>
      {customer.pools.length === 0 && <p className={styles.quiet}>{t('limits.noPools')}</p>}
      <Loaded query={limits}>
        {(pools) => (
          <div className={styles.access}>
            {pools.map((each) => (
              <PoolAccess
                key={each.pool}
                limits={each}
                addresses={customer.pools.find(({ pool }) => pool === each.pool)?.addresses ?? []}
                onChange={() => setChanged(each)}
              />
            ))}
          </div>
        )}
      </Loaded>
      <ApiPace customer={customer} />
      <CustomerTopUps customer={customer} />
      <Sessions customer={customer} />
      <Team customer={customer} />
      {changed !== null && (
        <LimitsDialog customer={customer} limits={changed} onClose={() => setChanged(null)} />
      )}
    </>
  )
}

interface PoolAccessProps {
  limits: Limits
  addresses: Customer['pools'][number]['addresses']
  onChange: () => void
}

function PoolAccess({ limits, addresses, onChange }: PoolAccessProps) {
  const { t } = useTranslation(['deskCustomer', 'header'])
  const { traffic, number } = useFigures()
  const mayChange = useMay()('set_customer_limits')
  const cap = (window: 'hour' | 'day' | 'month'): Fact => {
    const most = limits[`${window}_bytes`]
    const used = traffic(limits.used[`${window}_bytes`])
    return {
      name: t(`limits.${window}`),
      value: most === null ? t('limits.free', { used }) : t('limits.of', { used, most: traffic(most) }),
    }
  }
  const hosts = (name: string, list: readonly string[]): Fact[] =>
    list.length === 0 ? [] : [{ name, value: <code translate="no">{list.join(', ')}</code> }]
  return (
    <Section
      title={
        <span className={styles.pool}>
          <PoolIcon pool={limits.pool} size={18} />
          <span>{t(`header:pools.${limits.pool}`)}</span>
        </span>
      }
      actions={
        mayChange && (
          <Button size="small" onClick={onChange}>
            {t('limits.change')}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          cap('hour'),
          cap('day'),
          cap('month'),
          {
            name: t('limits.connections'),
            value: limits.connections === null ? t('limits.none') : number(limits.connections),
          },
          ...hosts(t('limits.allowed'), limits.allowed_hosts),
          ...hosts(t('limits.denied'), limits.denied_hosts),
          ...(limits.data_saver ? [{ name: t('limits.saver'), value: t('limits.on') }] : []),
          {
            name: t('limits.addresses'),
            value:
              addresses.length === 0 ? (
                t('limits.noAddresses')
              ) : (
                <ul className={styles.addresses}>
                  {addresses.map(({ ip, proven }) => (
                    <li key={ip}>
                      <code translate="no">{ip}</code>{' '}
                      <Badge tone={proven ? 'good' : 'quiet'}>
                        {t(proven ? 'limits.proven' : 'limits.unproven')}
                      </Badge>
                    </li>
                  ))}
                </ul>
              ),
          },
        ]}
      />
    </Section>
  )
}

/** The rate limit of the customer's programs: the usual one, or an agreed multiple of it. */
function ApiPace({ customer }: { customer: Customer }) {
  const { t } = useTranslation('deskCustomer')
  const { number } = useFigures()
  const pace = useQuery(query('customer_api', { id: customer.id }))
  const [isChanged, setChanged] = useState(false)
  const mayChange = useMay()('set_api_pace')
  return (
    <Section
      title={t('api.title')}
      actions={
        mayChange && (
          <Button size="small" onClick={() => setChanged(true)}>
            {t('api.change')}
          </Button>
        )
      }
    >
      <Loaded query={pace}>
        {({ times, calls_per_second, calls_at_once }) => (
          <>
            <Facts
              facts={[
                { name: t('api.times'), value: times === 1 ? t('api.usual') : number(times) },
                { name: t('api.perSecond'), value: number(calls_per_second) },
                { name: t('api.atOnce'), value: number(calls_at_once) },
              ]}
            />
            {isChanged && <PaceDialog customer={customer} times={times} onClose={() => setChanged(false)} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}
