import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pictureAddress } from '#contract/desk/client'
import type { DeskOutput } from '#contract/desk/contract'
import { useLanguage, useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Banner } from '../../../ui/site/banner.tsx'
import { ActDialog } from '../../parts/act-dialog.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { query } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { useAct } from '../../state/use-act.ts'
import { addressOf, altIn, BannerDialog } from './banner-dialog.tsx'
import styles from './shop.module.css'

type Row = DeskOutput<'banners'>[number]

const tones = { shown: 'good', to_come: 'warning', over: 'quiet' } as const

/** The text alternative in the language of the page, which names the banner too. */
const useAlt = (banner: Row) => banner[altIn[useLanguage()]]

export function BannerList() {
  const { t } = useTranslation('deskShop')
  const mayChange = useMay()('publish_banner')
  const banners = useQuery(query('banners', {}))
  const [isAdding, setAdding] = useState(false)
  const [editing, setEditing] = useState<Row | null>(null)
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
                  <BannerFacts
                    banner={row}
                    onEdit={mayChange ? () => setEditing(row) : null}
                    onRemove={() => setRemoving(row)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <BannerDialog banner={null} onClose={() => setAdding(false)} />}
      {editing !== null && <BannerDialog banner={editing} onClose={() => setEditing(null)} />}
      {removing !== null && <RemoveDialog banner={removing} onClose={() => setRemoving(null)} />}
    </div>
  )
}

interface FactsProps {
  banner: Row
  /** Null: this member may change nothing. */
  onEdit: (() => void) | null
  onRemove: () => void
}

function BannerFacts({ banner, onEdit, onRemove }: FactsProps) {
  const { t } = useTranslation('deskShop')
  const name = useAlt(banner)
  return (
    <div className={styles.bannerFacts}>
      <strong>{name}</strong>
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
      {onEdit !== null && (
        <span className={styles.bannerActs}>
          <Button size="small" aria-label={t('banners.editNamed', { name })} onClick={onEdit}>
            {t('banners.edit')}
          </Button>
          <Button size="small" aria-label={t('shop.removeNamed', { name })} onClick={onRemove}>
            {t('shop.remove')}
          </Button>
        </span>
      )}
    </div>
  )
}

/** The picture, from the desk: a banner may not be public yet. */
function Picture({ banner }: { banner: Row }) {
  const { t } = useTranslation('deskShop')
  const name = useAlt(banner)
  const src = pictureAddress('banner_picture', addressOf(banner))
  return <Banner src={src} name={name} link={banner.link} label={t('banners.open', { name })} />
}

function RemoveDialog({ banner, onClose }: { banner: Row; onClose: () => void }) {
  const { t } = useTranslation('deskShop')
  const name = useAlt(banner)
  const { pending, fault, run } = useAct('remove_banner', onClose)
  return (
    <ActDialog
      title={t('banners.removeTitle', { name })}
      description={t('banners.removeText')}
      submit={t('shop.remove')}
      isDanger
      reason="none"
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={() => run({ id: banner.id })}
    />
  )
}
