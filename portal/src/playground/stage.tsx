/** The photo, the progress of the preview, and in the end before and after. */
import type { PublicFinding } from '../../../shared/check-api.ts';
import type { Size } from '../../../shared/imaging/raster.ts';
import { Icon } from '../components/icon.tsx';
import type { Plan } from '../components/plan.ts';
import type { Registered } from '../components/registration.ts';
import { Sheet } from '../components/sheet.tsx';
import { count } from '../format.ts';
import { BitmapView, Compare } from './compare.tsx';
import { FindingMarks } from './finding-marks.tsx';
import { ProgressView } from './progress-view.tsx';
import type { PreviewState } from './use-preview.ts';

/** What the API made, in place of the preview. */
type Made = {
  readonly url: string;
  readonly plan: Plan;
  /** Where its product is in the photo; undefined: where the preview found it. */
  readonly registered?: Registered | undefined;
};

type Props = {
  state: PreviewState;
  made: Made | undefined;
  photoUrl: string;
  /** Undefined for a photo that browsers do not show. */
  photoSize: Size | undefined;
  findings: readonly PublicFinding[];
  /** Those of a check that nothing has followed yet. */
  checked: readonly PublicFinding[];
  /** A small result that is shown until the preview is there. */
  quickLook?: string | undefined;
};

const sizeOf = ({ canvas }: Plan): string => `${count(canvas.width)} × ${count(canvas.height)} px`;

/** All of it, as large as the square takes. */
const fitOf = ({ width, height }: Size) => ({
  aspectRatio: `${width} / ${height}`,
  ...(width >= height ? { width: '100%' } : { height: '100%' }),
});

export const Stage = ({ state, made, photoUrl, photoSize, findings, checked, quickLook }: Props) => {
  const marks = photoSize && findings.length > 0 && <FindingMarks findings={findings} photo={photoSize} />;
  if (state.kind === 'done') {
    const { facts, report, picture, id } = state.preview;
    const plan = made?.plan ?? report.plan;
    return (
      <div class="stage-picture" data-made={id}>
        <Compare
          photoKey={photoUrl}
          plan={plan}
          registered={made?.registered ?? facts}
          before={
            <>
              <img src={photoUrl} alt="Before" />
              {marks}
            </>
          }
          after={
            made ? (
              <img src={made.url} alt="After: result of the API" />
            ) : (
              <BitmapView bitmap={picture} label="After: the preview" />
            )
          }
          afterName={made ? 'API result' : 'Preview'}
          showsPhoto={checked.some(({ box }) => box !== null)}
          caption={made ? `Measured on the result, ${sizeOf(plan)}` : `Preview of a file of ${sizeOf(plan)}`}
        />
      </div>
    );
  }
  return (
    <Sheet plan={made?.plan} class={`waiting ${quickLook ? 'with-look' : ''}`}>
      <div class="photo-alone">
        {photoSize ? (
          <div class="photo-fit" style={fitOf(photoSize)}>
            <img src={photoUrl} alt="Before" />
            {!made && marks}
          </div>
        ) : (
          <Icon name="image" size={32} />
        )}
        {quickLook && !made && <img class="made-alone" src={quickLook} alt="A quick look at the result" />}
        {made && <img class="made-alone" src={made.url} alt="Result of the API" />}
      </div>
      {state.kind === 'running' && !made && <ProgressView progress={state.progress} />}
    </Sheet>
  );
};
