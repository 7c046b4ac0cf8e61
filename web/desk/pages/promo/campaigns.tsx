import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { DecimalField } from '../../../ui/fields/decimal-field.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { parsePercent, percentText } from '../../parts/amounts.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useFigures } from '../../parts/use-figures.ts'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import type { Column } from '../../table/columns.ts'
import { List, type RowOf } from '../../table/list.tsx'

type Row = RowOf<'campaigns'>
const noFilters = {}

/** The origin of customers, and the share of inviters. */
export function Campaigns() {
  const { t } = useTranslation('deskPages')
  const { number, usd, percent } = useFigures()
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'campaign',
        title: t('customer.campaign'),
        fixed: true,
        phone: true,
        cell: ({ campaign }) => (
          <Link to={`/customers?campaign=${encodeURIComponent(campaign)}`}>{campaign}</Link>
        ),
      },
      {
        id: 'signUps',
        title: t('campaigns.signUps'),
        numeric: true,
        phone: true,
        cell: (row) => number(row.sign_ups),
      },
      { id: 'buyers', title: t('campaigns.buyers'), numeric: true, cell: (row) => number(row.buyers) },
      {
        id: 'share',
        title: t('campaigns.share'),
        numeric: true,
        cell: (row) => (row.sign_ups === '0' ? '–' : percent(Number(row.buyers) / Number(row.sign_ups))),
      },
      {
        id: 'revenue',
        title: t('campaigns.revenue'),
        numeric: true,
        phone: true,
        cell: (row) => usd(row.revenue_micros),
      },
    ],
    [t, number, usd, percent],
  )
  return (
    <>
      <ReferralShare />
      <Section title={t('campaigns.title')}>
        <p>{t('campaigns.text')}</p>
        <List
          call="campaigns"
          label={t('campaigns.title')}
          filters={noFilters}
          columns={columns}
          rowId={(row) => row.campaign}
          empty={<p>{t('campaigns.none')}</p>}
        />
      </Section>
    </>
  )
}

function ReferralShare() {
  const { t } = useTranslation('deskPages')
  const { percent } = useFigures()
  const mayChange = useMay()('set_referral_share')
  const share = useQuery(query('referral_share', {}))
  const [isChanging, setChanging] = useState(false)
  return (
    <Section
      title={t('customer.share')}
      actions={
        mayChange && (
          <Button size="small" onClick={() => setChanging(true)}>
            {t('campaigns.changeShare')}
          </Button>
        )
      }
    >
      <Loaded query={share}>
        {({ share_ppm: ppm }) => (
          <>
            <p>{t('campaigns.shareText', { percent: percent(ppm / 1e6) })}</p>
            {isChanging && <ShareDialog ppm={ppm} onClose={() => setChanging(false)} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function ShareDialog({ ppm, onClose }: { ppm: number; onClose: () => void }) {
  const { t } = useTranslation('deskPages')
  const [typed, setTyped] = useState(ppm === 0 ? '0' : percentText(ppm))
  const { pending, fault, run } = useAct('set_referral_share', onClose)
  const wanted = typed.trim() === '0' ? 0 : parsePercent(typed)
  return (
    <ActDialog
      title={t('campaigns.changeShare')}
      description={t('campaigns.changeText')}
      submit={t('campaigns.saveShare')}
      pending={pending}
      fault={fault}
      ready={wanted !== null}
      onClose={onClose}
      onSubmit={(reason) => wanted !== null && run({ share_ppm: wanted, reason })}
    >
      <DecimalField label={t('campaigns.percent')} value={typed} onType={setTyped} />
    </ActDialog>
  )
}
