# Made by tools/describe.py; do not edit.
_roundoff()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    case ${COMP_WORDS[1]} in
    halftone)
        case $prev in
        --method) COMPREPLY=($(compgen -W 'floyd-steinberg false-floyd-steinberg jarvis-judice-ninke stucki burkes sierra sierra-two-row sierra-lite atkinson fan shiau-fan shiau-fan-2 stevenson-arce ostromoukhov zhou-fang acuity acuity-6 acuity-4 dot-diffusion dot-diffusion-optimised riemersma pinwheel bayer bayer2 bayer4 bayer8 bayer16 clustered-dot blue-noise am green-noise screen random threshold otsu dbs dbs-clipping-free search' -- "$cur")); return ;;
        --schedule) COMPREPLY=($(compgen -W 'auto wave ed ec pwed pwec bwed bwec' -- "$cur")); return ;;
        --threshold) COMPREPLY=($(compgen -W 'balanced' -- "$cur")); return ;;
        --like) COMPREPLY=($(compgen -W 'pillow netpbm zimg paper' -- "$cur")); return ;;
        --fit) COMPREPLY=($(compgen -W 'auto none full' -- "$cur")); return ;;
        --shape) COMPREPLY=($(compgen -W 'round ellipse square diamond line euclidean cross' -- "$cur")); return ;;
        --aim) COMPREPLY=($(compgen -W 'seen picture' -- "$cur")); return ;;
        --quality) COMPREPLY=($(compgen -W 'fast best' -- "$cur")); return ;;
        --profile) COMPREPLY=($(compgen -W 'apply ignore' -- "$cur")); return ;;
        --alpha) COMPREPLY=($(compgen -W 'auto over keep drop' -- "$cur")); return ;;
        --content) COMPREPLY=($(compgen -W 'photo page' -- "$cur")); return ;;
        --compression) COMPREPLY=($(compgen -W 'auto none g4 packbits zip lzw' -- "$cur")); return ;;
        --bit-order) COMPREPLY=($(compgen -W 'msb lsb' -- "$cur")); return ;;
        --ones) COMPREPLY=($(compgen -W 'white black' -- "$cur")); return ;;
        --rotate) COMPREPLY=($(compgen -W '0 90 180 270' -- "$cur")); return ;;
        --resample) COMPREPLY=($(compgen -W 'auto light values' -- "$cur")); return ;;
        --channels) COMPREPLY=($(compgen -W 'grey rgb' -- "$cur")); return ;;
        --separate) COMPREPLY=($(compgen -W 'none cmyk cmyk-tiff inks inks-tiff' -- "$cur")); return ;;
        --intent) COMPREPLY=($(compgen -W 'perceptual relative saturation absolute' -- "$cur")); return ;;
        --device) COMPREPLY=($(compgen -W 'auto cpu cuda' -- "$cur")); return ;;
        --cpu) COMPREPLY=($(compgen -W 'auto scalar v128 avx2 avx512' -- "$cur")); return ;;
        --levels | --seed | --strength | --noise | --brightness | --contrast | --gamma | --dot-gain | --black-ink | --ink-limit | --cell | --lpi | --angle | --dpi | --dot | --rounds | --distance | --sigma | --start | --type | --page | --background | --pixel-bits | --numbers | --resize | --crop | --scale-after | --range | --palette | --recolour | --inks | --ink | --angles | --gain | --yule-nielsen | --threads | --limit-memory | --limit-pixels) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--method --levels --schedule --seed --strength --noise --threshold --serpentine --like --invert --brightness --contrast --gamma --linear --dot-gain --fit --black-ink --ink-limit --cell --lpi --angle --dpi --shape --dot --rounds --distance --sigma --aim --start --quality --swaps --list --type --out-dir --vectors --page --profile --alpha --background --content --compression --bit-order --ones --pixel-bits --numbers --resize --crop --rotate --mirror --scale-after --resample --range --curve --kernel --spot --screen --channels --palette --recolour --separate --inks --ink --angles --profile-out --intent --proof --gain --yule-nielsen --device --threads --cpu --quiet --json --certificate --strict --limit-memory --limit-pixels --help' -- "$cur"))
        ;;
    screen)
        case $prev in
        --shape) COMPREPLY=($(compgen -W 'round ellipse square diamond line euclidean cross' -- "$cur")); return ;;
        --cell | --seed | --angle | --lpi | --dpi | --dot | --inks | --ink | --angles | --type) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--cell --seed --angle --shape --lpi --dpi --dot --spot --inks --ink --angles --type --list --quiet --json --certificate --help' -- "$cur"))
        ;;
    denoise)
        case $prev in
        --model) COMPREPLY=($(compgen -W 'trained anisotropic edge-enhancing perona-malik linear' -- "$cur")); return ;;
        --scheme) COMPREPLY=($(compgen -W 'explicit implicit conjugate naive xpp24' -- "$cur")); return ;;
        --rounding) COMPREPLY=($(compgen -W 'zero nearest away down up nearest-up nearest-down nearest-even' -- "$cur")); return ;;
        --round) COMPREPLY=($(compgen -W 'sum nearest' -- "$cur")); return ;;
        --schedule) COMPREPLY=($(compgen -W 'auto reference passes stream' -- "$cur")); return ;;
        --stop) COMPREPLY=($(compgen -W 'auto usual' -- "$cur")); return ;;
        --diffusivity) COMPREPLY=($(compgen -W 'perona-malik exponential decay lines' -- "$cur")); return ;;
        --quality) COMPREPLY=($(compgen -W 'fast best' -- "$cur")); return ;;
        --bits) COMPREPLY=($(compgen -W '8 16' -- "$cur")); return ;;
        --device) COMPREPLY=($(compgen -W 'auto cpu cuda' -- "$cur")); return ;;
        --cpu) COMPREPLY=($(compgen -W 'auto scalar v128 avx2 avx512' -- "$cur")); return ;;
        --iterations | --steps-at-once | --kappa | --sigma | --time-step | --seed | --noise-level | --tolerance | --white | --number | --page | --every | --threads | --limit-memory | --limit-pixels) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--model --scheme --rounding --round --schedule --iterations --steps-at-once --kappa --sigma --time-step --independent --until-converged --seed --stop --impulse --diffusivity --noise-level --strength --quality --unclip --tolerance --white --number --page --bits --float --raw --vectors --evolution --every --history --device --threads --cpu --quiet --json --certificate --strict --limit-memory --limit-pixels --help' -- "$cur"))
        ;;
    hologram)
        case $prev in
        --algorithm) COMPREPLY=($(compgen -W 'vded swed floyd-steinberg truncate' -- "$cur")); return ;;
        --schedule) COMPREPLY=($(compgen -W 'auto reference bands' -- "$cur")); return ;;
        --p) COMPREPLY=($(compgen -W 'auto' -- "$cur")); return ;;
        --gain) COMPREPLY=($(compgen -W 'auto' -- "$cur")); return ;;
        --edges) COMPREPLY=($(compgen -W 'dark wrap' -- "$cur")); return ;;
        --scale) COMPREPLY=($(compgen -W 'none' -- "$cur")); return ;;
        --place) COMPREPLY=($(compgen -W 'fit fill centre' -- "$cur")); return ;;
        --drive) COMPREPLY=($(compgen -W 'auto numbers full bits packed' -- "$cur")); return ;;
        --refine) COMPREPLY=($(compgen -W 'auto' -- "$cur")); return ;;
        --device) COMPREPLY=($(compgen -W 'auto cpu cuda' -- "$cur")); return ;;
        --cpu) COMPREPLY=($(compgen -W 'auto scalar v128 avx2 avx512' -- "$cur")); return ;;
        --pitch | --viewer | --viewing-area | --levels | --hogel | --snr | --window | --region | --light | --lens | --frames | --size | --modulator | --scene | --depth | --target | --phase | --weights | --distance | --source | --type | --wavelength | --threads | --seed | --limit-memory | --limit-pixels) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--pitch --viewer --viewing-area --view-specific --algorithm --levels --schedule --p --hogel --gain --snr --window --region --light --edges --lens --frames --scale --size --modulator --scene --depth-map --depth --target --place --phase --drive --weights --report --spectrum --refine --distance --source --reference --type --wavelength --sidecar --device --threads --cpu --seed --quiet --json --certificate --strict --limit-memory --limit-pixels --help' -- "$cur"))
        ;;
    register)
        case $prev in
        --scheme) COMPREPLY=($(compgen -W 'auto annealed thesis' -- "$cur")); return ;;
        --match) COMPREPLY=($(compgen -W 'ssd ncc ncc-size' -- "$cur")); return ;;
        --init) COMPREPLY=($(compgen -W 'none translation affine' -- "$cur")); return ;;
        --number) COMPREPLY=($(compgen -W 's23e8 s16e7 s10e5' -- "$cur")); return ;;
        --transform) COMPREPLY=($(compgen -W 'dense translation rigid similarity affine homography' -- "$cur")); return ;;
        --series) COMPREPLY=($(compgen -W 'first previous' -- "$cur")); return ;;
        --sampling) COMPREPLY=($(compgen -W 'bilinear nearest' -- "$cur")); return ;;
        --device) COMPREPLY=($(compgen -W 'auto cpu cuda' -- "$cur")); return ;;
        --cpu) COMPREPLY=($(compgen -W 'auto scalar v128 avx2 avx512' -- "$cur")); return ;;
        --scales | --sigma | --page | --threads | --limit-memory | --limit-pixels) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--scheme --match --init --number --scales --sigma --transform --field --figure --series --sampling --force --fixed-mask --moving-mask --inverse --page --energy --device --threads --cpu --quiet --json --certificate --strict --limit-memory --limit-pixels --help' -- "$cur"))
        ;;
    segment)
        case $prev in
        --number) COMPREPLY=($(compgen -W 'u8 s12 s16 s23e8' -- "$cur")); return ;;
        --norm) COMPREPLY=($(compgen -W 'lin euclid interpolative volume interpolative-2 volume-2 mean-error mean-error-2' -- "$cur")); return ;;
        --schedule) COMPREPLY=($(compgen -W 'auto reference passes stream active fused' -- "$cur")); return ;;
        --fronts) COMPREPLY=($(compgen -W 'competing free' -- "$cur")); return ;;
        --device) COMPREPLY=($(compgen -W 'auto cpu cuda' -- "$cur")); return ;;
        --cpu) COMPREPLY=($(compgen -W 'auto scalar v128 avx2 avx512' -- "$cur")); return ;;
        --iterations | --time-step | --smooth | --sigma | --at | --window | --page | --speed | --gaussian | --edge | --curvature | --threads | --limit-memory | --limit-pixels) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--number --norm --schedule --iterations --time-step --smooth --sigma --at --mask --seeds --window --overlay --contours --table --frames --fronts --factor --page --force --distance --speed --gaussian --edge --curvature --velocity --phi --vectors --device --threads --cpu --quiet --json --certificate --strict --limit-memory --limit-pixels --help' -- "$cur"))
        ;;
    measure)
        case $prev in
        --tile) COMPREPLY=($(compgen -W '16 32 64 128 256' -- "$cur")); return ;;
        --dpi | --distance | --border | --gain | --yule-nielsen | --page | --palette | --resize | --threads | --limit-memory | --limit-pixels) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--dpi --distance --linear --tile --border --gain --yule-nielsen --page --report --palette --resize --threads --quiet --json --certificate --strict --limit-memory --limit-pixels --help' -- "$cur"))
        ;;
    compare)
        case $prev in
        --fit) COMPREPLY=($(compgen -W 'auto none full' -- "$cur")); return ;;
        --methods | --dpi | --distance | --palette | --resize | --limit-memory | --limit-pixels) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--methods --report --dpi --distance --linear --palette --fit --resize --quiet --json --certificate --strict --limit-memory --limit-pixels --help' -- "$cur"))
        ;;
    calibrate)
        case $prev in
        --method | --dpi | --patch | --cell | --lpi | --angle | --shape | --dot | --type | --ink | --seed | --limit-memory | --limit-pixels) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--method --dpi --patch --cell --lpi --angle --shape --dot --type --curve --ink --linear --seed --quiet --json --certificate --strict --limit-memory --limit-pixels --help' -- "$cur"))
        ;;
    verify)
        case $prev in
        --threads) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--recompute --threads --quiet --json --help' -- "$cur"))
        ;;
    testcard)
        case $prev in
        --bits) COMPREPLY=($(compgen -W '8 16' -- "$cur")); return ;;
        --size | --type) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--size --bits --colour --type --quiet --json --certificate --help' -- "$cur"))
        ;;
    devices)
        case $prev in
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--json --help' -- "$cur"))
        ;;
    bench)
        case $prev in
        --device) COMPREPLY=($(compgen -W 'auto cpu cuda' -- "$cur")); return ;;
        --size) return ;;
        esac
        [[ $cur == -* ]] && COMPREPLY=($(compgen -W '--size --plot --list --device --json --help' -- "$cur"))
        ;;
    *) COMPREPLY=($(compgen -W 'halftone screen denoise hologram register segment measure compare calibrate verify testcard devices bench' -- "$cur")) ;;
    esac
}
complete -o default -F _roundoff roundoff
