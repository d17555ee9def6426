// A payment link on paper, for customers: in their language, with the name, the logo and the colour that they know.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { settingsQuery } from '@dashboard/shared/api/merchant-settings.js';
import { useSession } from '@dashboard/shared/session/session.js';
import { FixedLanguage } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { LinkPrice } from './link-parts.js';
import classes from './poster.module.css';
import { QrCode } from './qr-code.js';

export function Poster({ link }: { readonly link: MerchantSchema['PaymentLink'] }): ReactNode {
  const { merchant } = useSession();
  const { data: settings } = useQuery(settingsQuery);
  const language = settings?.receipts.language ?? 'id';
  const { links } = SELLING_TEXTS[language];
  const colour = settings?.brand_colour;
  const style = colour ? { borderTopColor: colour } : {};
  return (
    <FixedLanguage language={language}>
      <div className={classes.poster} lang={language} style={style}>
        {link.environment === 'TEST' && <div className={classes.test}>{links.posterTest}</div>}
        {settings?.logo_url && <img className={classes.logo} src={settings.logo_url} alt="" />}
        <div>{settings?.display_name ?? merchant?.business_name}</div>
        <div className={classes.name}>{link.title}</div>
        <div className={classes.price}>
          <LinkPrice link={link} />
        </div>
        <QrCode className={classes.qr} text={link.url} label={links.qr(link.title)} />
        <div>{links.scan}</div>
        <div className={classes.address}>{link.url}</div>
      </div>
    </FixedLanguage>
  );
}
