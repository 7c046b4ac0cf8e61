import { useToldRead } from '../../state/told-read.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Banner } from '../../../ui/site/banner.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { BannerDialog } from './banner-dialog.tsx'
import styles from './shop.module.css'

type Row = DeskOutput<'banners'>[number]

const tones = { shown: 'good', to_come: 'warning', over: 'quiet' } as const

export function BannerList() {
  const { t } = useTranslation('deskShop')
  const mayChange = useMay()('publish_banner')
  const banners = useQuery(query('banners', {}))
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Row | null>(null)
  return (
    <div className={styles.editor}>
      <div className={styles.bar}>
        <p className={styles.quiet}>{t('banners.about')}</p>
        {mayChange && (
          <Button variant="primary" onClick={() => setAdding(true)}>
            {t('banners.add')}
          </Button>
        )}
      </div>
      <Loaded query={banners}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('banners.none')}</p>
          ) : (
            <ul className={styles.banners}>
              {rows.map((row) => (
                <li key={row.id} className={styles.banner}>
                  <Picture banner={row} />
                  <BannerFacts banner={row} onRemove={mayChange ? () => setRemoving(row) : null} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <BannerDialog onClose={() => setAdding(false)} />}
      {removing !== null && <RemoveDialog banner={removing} onClose={() => setRemoving(null)} />}
    </div>
  )
}

function BannerFacts({ banner, onRemove }: { banner: Row; onRemove: (() => void) | null }) {
  const { t } = useTranslation('deskShop')
  return (
    <div className={styles.bannerFacts}>
      <strong>{banner.name}</strong>
      <Badge tone={tones[banner.state]}>{t(`banners.state.${banner.state}`)}</Badge>
      <code translate="no">{banner.link}</code>
      <span className={styles.quiet}>
        <span>{t('banners.position', { position: banner.position })}</span>
        {banner.starts_at !== null && (
          <>
            <span>{`, ${t('banners.from')}`}</span> <Moment iso={banner.starts_at} />
          </>
        )}
        {banner.ends_at !== null && (
          <>
            <span>{`, ${t('banners.until')}`}</span> <Moment iso={banner.ends_at} />
          </>
        )}
      </span>
      {onRemove !== null && (
        <Button
          size="small"
          aria-label={t('shop.removeNamed', { name: banner.name })}
          className={styles.bannerRemove ?? ''}
          onClick={onRemove}
        >
          {t('shop.remove')}
        </Button>
      )}
    </div>
  )
}

/** The picture, which the desk loads by itself: a banner may not be public yet. */
function Picture({ banner: { id, name, link } }: { banner: Row }) {
  const { t } = useTranslation('deskShop')
  const { data } = useToldRead(query('banner_picture', { id }))
  if (data === undefined) return <Skeleton characters={30} />
  const src = `data:${data.content_type};base64,${data.picture}`
  return <Banner src={src} name={name} link={link} label={t('banners.open', { name })} />
}

function RemoveDialog({ banner, onClose }: { banner: Row; onClose: () => void }) {
  const { t } = useTranslation('deskShop')
  const { pending, fault, run } = useAct('remove_banner', onClose)
  return (
    <ActDialog
      title={t('banners.removeTitle', { name: banner.name })}
      description={t('banners.removeText')}
      submit={t('shop.remove')}
      reason="none"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={() => run({ id: banner.id })}
    />
  )
}
