/** A photo to try with: a mug on a table, drawn here so that nothing has to be fetched. */
const SIDE = 1_400;
const HEIGHT = 1_050;

const gradient = (
  drawing: CanvasRenderingContext2D,
  from: [number, number],
  to: [number, number],
  stops: readonly [number, string][],
): CanvasGradient => {
  const made = drawing.createLinearGradient(...from, ...to);
  for (const [at, colour] of stops) made.addColorStop(at, colour);
  return made;
};

const room = (drawing: CanvasRenderingContext2D): void => {
  drawing.fillStyle = gradient(
    drawing,
    [0, 0],
    [SIDE, HEIGHT],
    [
      [0, '#a9b4ae'],
      [0.5, '#93a09a'],
      [1, '#7d8a86'],
    ],
  );
  drawing.fillRect(0, 0, SIDE, HEIGHT);
  drawing.fillStyle = gradient(
    drawing,
    [0, 690],
    [0, HEIGHT],
    [
      [0, '#9a7450'],
      [0.25, '#87623f'],
      [1, '#5f4329'],
    ],
  );
  drawing.fillRect(0, 690, SIDE, HEIGHT - 690);
  drawing.globalAlpha = 0.18;
  for (let y = 705; y < HEIGHT; y += 17) {
    drawing.fillStyle = y % 2 === 0 ? '#3d2a18' : '#b48a60';
    drawing.fillRect(0, y, SIDE, 3);
  }
  drawing.globalAlpha = 1;
};

const shadow = (drawing: CanvasRenderingContext2D): void => {
  drawing.save();
  drawing.filter = 'blur(22px)';
  drawing.fillStyle = 'rgb(30 18 8 / 55%)';
  drawing.beginPath();
  drawing.ellipse(690, 868, 265, 46, 0, 0, 2 * Math.PI);
  drawing.fill();
  drawing.restore();
};

const handle = (drawing: CanvasRenderingContext2D): void => {
  drawing.lineWidth = 54;
  drawing.lineCap = 'round';
  drawing.strokeStyle = gradient(
    drawing,
    [850, 400],
    [1020, 760],
    [
      [0, '#c8553a'],
      [0.5, '#93341f'],
      [1, '#6b2412'],
    ],
  );
  drawing.beginPath();
  drawing.moveTo(846, 460);
  drawing.bezierCurveTo(1010, 410, 1040, 720, 838, 726);
  drawing.stroke();
};

const body = (drawing: CanvasRenderingContext2D): void => {
  const glaze = gradient(
    drawing,
    [440, 0],
    [860, 0],
    [
      [0, '#7d2d1c'],
      [0.16, '#c4523a'],
      [0.34, '#ef8a6c'],
      [0.5, '#d9603f'],
      [0.8, '#a83f27'],
      [1, '#64210f'],
    ],
  );
  drawing.fillStyle = glaze;
  drawing.beginPath();
  drawing.moveTo(440, 360);
  drawing.bezierCurveTo(444, 620, 462, 780, 500, 848);
  drawing.bezierCurveTo(560, 892, 740, 892, 800, 848);
  drawing.bezierCurveTo(838, 780, 856, 620, 860, 360);
  drawing.closePath();
  drawing.fill();
};

const opening = (drawing: CanvasRenderingContext2D): void => {
  drawing.fillStyle = '#f2a68d';
  drawing.beginPath();
  drawing.ellipse(650, 360, 210, 58, 0, 0, 2 * Math.PI);
  drawing.fill();
  drawing.fillStyle = gradient(
    drawing,
    [0, 310],
    [0, 420],
    [
      [0, '#3b150b'],
      [1, '#7a2f1d'],
    ],
  );
  drawing.beginPath();
  drawing.ellipse(650, 364, 190, 47, 0, 0, 2 * Math.PI);
  drawing.fill();
};

const highlight = (drawing: CanvasRenderingContext2D): void => {
  drawing.save();
  drawing.filter = 'blur(9px)';
  drawing.strokeStyle = 'rgb(255 236 226 / 65%)';
  drawing.lineWidth = 22;
  drawing.beginPath();
  drawing.moveTo(542, 450);
  drawing.bezierCurveTo(546, 580, 556, 690, 574, 770);
  drawing.stroke();
  drawing.restore();
};

/** Grain, from a fixed seed: a photo has it, and the sample is the same each time. */
const grain = (drawing: CanvasRenderingContext2D): void => {
  const image = drawing.getImageData(0, 0, SIDE, HEIGHT);
  let seed = 1;
  for (let i = 0; i < image.data.length; i += 4) {
    seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
    const noise = (seed / 4_294_967_296 - 0.5) * 9;
    for (let c = 0; c < 3; c++) image.data[i + c] = image.data[i + c]! + noise;
  }
  drawing.putImageData(image, 0, 0);
};

export const samplePhoto = async (): Promise<File> => {
  const canvas = document.createElement('canvas');
  canvas.width = SIDE;
  canvas.height = HEIGHT;
  const drawing = canvas.getContext('2d');
  if (!drawing) throw new Error('no 2d canvas');
  room(drawing);
  shadow(drawing);
  handle(drawing);
  body(drawing);
  opening(drawing);
  highlight(drawing);
  grain(drawing);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.93));
  if (!blob) throw new Error('the sample could not be encoded');
  return new File([blob], 'sample-mug.jpg', { type: 'image/jpeg' });
};
