import { useState } from 'react'
import {
  bannerFile,
  bannersPath,
  type BannerSize,
  bannerSizes,
  dimensionsOf,
} from '#contract/banners/banners'
import { brand } from '../../state/brand.ts'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import styles from './banners.module.css'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const attribute = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? '')

/** Pictures for a site of one's own, and the HTML that shows one as a link. */
export function Banners({ link }: { link: string | undefined }) {
  const { t } = useTranslation(['userPanel', 'userBtns', 'referral'])
  const language = useLanguage()
  const [size, setSize] = useState<BannerSize>('300x250')
  const [spoken, setSpoken] = useState(language)
  const { width, height } = dimensionsOf(size)
  const picture = bannersPath + bannerFile(size, spoken)
  if (link === undefined) return null
  const source = new URL(picture, link).href
  const html = `<a href="${attribute(link)}"><img src="${attribute(source)}" width="${width}" height="${height}" alt="${attribute(brand.name)}"></a>`
  const copied = { copiedLabel: t('userBtns:copy.done'), failedLabel: t('userBtns:copy.failed') }
  return (
    <section aria-labelledby="referral-banners">
      <div className={styles.head}>
        <h2 id="referral-banners" className={styles.title}>
          {t('referral:banners')}
        </h2>
        <div className={styles.choices}>
          <Segmented
            label={t('referral:bannerSize')}
            value={size}
            options={bannerSizes.map((value) => ({ value, label: value.replace('x', '×') }))}
            onChange={setSize}
          />
          <Segmented
            label={t('referral:bannerLanguage')}
            value={spoken}
            options={[
              { value: 'ru', label: 'RU' },
              { value: 'en', label: 'EN' },
            ]}
            onChange={setSpoken}
          />
        </div>
      </div>
      <p className={styles.text}>{t('referral:bannersText')}</p>
      <div className={styles.card}>
        <img src={picture} width={width} height={height} alt={brand.name} className={styles.picture} />
        <pre translate="no" className={styles.html} tabIndex={0} aria-label={t('referral:html')}>
          <code>{html}</code>
        </pre>
        <div className={styles.buttons}>
          <CopyButton text={html} label={t('referral:copyHtml')} {...copied} />
          <CopyButton text={source} label={t('referral:copyPicture')} {...copied} />
        </div>
      </div>
    </section>
  )
}
